package org.hlo4j.interpreter.compiled.moves;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;

/** The bits of elements, least significant first, cut up into wider or narrower ones. */
final class BitcastKernel implements Kernel {
  private static final int CHUNK = 1 << 14;

  private final Shape.Array shape;
  private final int fromBits;
  private final int toBits;
  private final int count;

  BitcastKernel(Shape.Array operand, Shape.Array shape) {
    this.shape = shape;
    this.fromBits = operand.elementType().bits();
    this.toBits = shape.elementType().bits();
    this.count = (int) shape.elementCount();
  }

  /** Whether elements of two types are as wide as those of their arrays, and of different width. */
  static boolean takes(ElementType from, ElementType to) {
    return isWhole(from) && isWhole(to) && from.bits() != to.bits();
  }

  private static boolean isWhole(ElementType type) {
    return !type.isComplex() && type.bits() >= Byte.SIZE;
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object from = operands[0].unsafeStorage();
    Object to = context.allocate(shape);
    context
        .workers()
        .run(
            Math.ceilDiv(count, CHUNK),
            chunk -> {
              int end = Math.min(count, (chunk + 1) * CHUNK);
              if (fromBits > toBits) {
                cut(from, to, chunk * CHUNK, end);
              } else {
                join(from, to, chunk * CHUNK, end);
              }
            });
    return Literal.unsafeOf(shape, to);
  }

  private void cut(Object from, Object to, int first, int end) {
    int ratio = fromBits / toBits;
    for (int i = first; i < end; i++) {
      write(to, i, read(from, i / ratio) >>> (toBits * (i % ratio)));
    }
  }

  private void join(Object from, Object to, int first, int end) {
    int ratio = toBits / fromBits;
    long mask = (1L << fromBits) - 1;
    for (int i = first; i < end; i++) {
      long bits = 0;
      for (int k = ratio - 1; k >= 0; k--) {
        bits = (bits << fromBits) | (read(from, i * ratio + k) & mask);
      }
      write(to, i, bits);
    }
  }

  private static long read(Object storage, int i) {
    return switch (storage) {
      case byte[] bytes -> bytes[i];
      case short[] shorts -> shorts[i];
      case int[] ints -> ints[i];
      case float[] floats -> Float.floatToRawIntBits(floats[i]);
      case long[] longs -> longs[i];
      case double[] doubles -> Double.doubleToRawLongBits(doubles[i]);
      default -> throw new AssertionError(storage.getClass());
    };
  }

  private static void write(Object storage, int i, long bits) {
    switch (storage) {
      case byte[] bytes -> bytes[i] = (byte) bits;
      case short[] shorts -> shorts[i] = (short) bits;
      case int[] ints -> ints[i] = (int) bits;
      case float[] floats -> floats[i] = Float.intBitsToFloat((int) bits);
      case long[] longs -> longs[i] = bits;
      case double[] doubles -> doubles[i] = Double.longBitsToDouble(bits);
      default -> throw new AssertionError(storage.getClass());
    }
  }

  @Override
  public String describe() {
    return "bitcast-convert from " + fromBits + " to " + toBits + " bits";
  }
}
