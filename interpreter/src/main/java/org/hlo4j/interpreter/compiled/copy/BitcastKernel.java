package org.hlo4j.interpreter.compiled.copy;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * A kernel of a bitcast-convert between types of different widths. The bits of elements, least
 * significant first, are split or joined.
 */
public final class BitcastKernel implements Kernel {

  private final Shape.Array shape;
  private final int fromBits;
  private final int toBits;
  private final int count;

  public BitcastKernel(Shape.Array operand, Shape.Array shape) {
    this.shape = shape;
    this.fromBits = operand.elementType().bits();
    this.toBits = shape.elementType().bits();
    this.count = (int) shape.elementCount();
  }

  /**
   * Returns whether the kernel can convert between two types: both are as wide as the elements of
   * their arrays, and they are of different widths.
   */
  public static boolean supports(ElementType from, ElementType to) {
    return isWhole(from) && isWhole(to) && from.bits() != to.bits();
  }

  private static boolean isWhole(ElementType type) {
    return !type.isComplex() && type.bits() >= Byte.SIZE;
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object from = operands[0].unsafeStorage();
    Object to = context.allocate(shape);
    new Parallel(context, count, Machine.COPY_GRAIN)
        .run((first, end) -> {
          if (fromBits > toBits) {
            split(from, to, first, end);
          } else {
            join(from, to, first, end);
          }
        });
    return Literal.unsafeOf(shape, to);
  }

  private void split(Object from, Object to, int first, int end) {
    int ratio = fromBits / toBits;
    for (int i = first; i < end; i++) {
      Storages.setBits(to, i, Storages.bits(from, i / ratio) >>> (toBits * (i % ratio)));
    }
  }

  private void join(Object from, Object to, int first, int end) {
    int ratio = toBits / fromBits;
    long mask = (1L << fromBits) - 1;
    for (int i = first; i < end; i++) {
      long bits = 0;
      for (int k = ratio - 1; k >= 0; k--) {
        bits = (bits << fromBits) | (Storages.bits(from, i * ratio + k) & mask);
      }
      Storages.setBits(to, i, bits);
    }
  }

  @Override
  public String describe() {
    return "bitcast-convert from " + fromBits + " to " + toBits + " bits";
  }
}
