package org.hlo4j.interpreter.compiled.dots;

import java.util.function.Consumer;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.kernel.KernelContext;

/** Elements of any type as those of a carrier, and back: rounded or wrapped. */
final class Converter {
  private static final int AT_ONCE = 1 << 14;

  private Converter() {}

  /** The elements of an operand as the carrier has them: its storage itself, or a copy. */
  static Object widened(Literal operand, Carrier carrier, KernelContext context) {
    Object storage = operand.unsafeStorage();
    ElementType type = operand.elementType();
    if (isSame(type, carrier)) {
      return storage;
    }
    int count = operand.elementCount();
    Object wide = Movement.of(carrier).allocate(count);
    inRanges(count, context, (start, end) -> widen(storage, type, wide, start, end));
    return wide;
  }

  /** What a computation stores in an array of the carrier, as a literal of the shape. */
  static Literal narrowed(
      Shape.Array shape, Carrier carrier, KernelContext context, Consumer<Object> computation) {
    Object result = context.allocate(shape);
    ElementType type = shape.elementType();
    if (isSame(type, carrier)) {
      computation.accept(result);
      return Literal.unsafeOf(shape, result);
    }
    int count = (int) shape.elementCount();
    Object wide = Movement.of(carrier).allocate(count);
    computation.accept(wide);
    inRanges(count, context, (start, end) -> narrow(wide, result, type, start, end));
    return Literal.unsafeOf(shape, result);
  }

  /** What converts some of the elements. */
  private interface Range {
    void convert(int start, int end);
  }

  private static void inRanges(int count, KernelContext context, Range range) {
    Chunks.run(
        context,
        false,
        Math.ceilDiv(count, AT_ONCE),
        chunk -> range.convert(chunk * AT_ONCE, (int) Math.min(count, (chunk + 1L) * AT_ONCE)));
  }

  /** Whether the storage of a type is that of the carrier. */
  static boolean isSame(ElementType type, Carrier carrier) {
    return switch (carrier) {
      case F32 -> type == ElementType.F32;
      case F64 -> type == ElementType.F64;
      case I32 -> type == ElementType.S32 || type == ElementType.U32;
      case I64 -> type == ElementType.S64 || type == ElementType.U64;
    };
  }

  /** {@code to[i] = from[i]}; each value of the type has its like among the carrier's. */
  static void widen(Object from, ElementType type, Object to, int first, int end) {
    switch (to) {
      case float[] floats -> toFloats(from, type, floats, first, end);
      case double[] doubles -> toDoubles(from, type, doubles, first, end);
      case int[] ints -> toInts(from, type, ints, first, end);
      case long[] longs -> toLongs(from, type, longs, first, end);
      default -> throw new AssertionError(to.getClass());
    }
  }

  private static void toFloats(Object from, ElementType type, float[] to, int first, int end) {
    switch (from) {
      case short[] halves when type == ElementType.BF16 -> {
        for (int i = first; i < end; i++) {
          to[i] = Float.intBitsToFloat(halves[i] << 16);
        }
      }
      case short[] halves -> {
        for (int i = first; i < end; i++) {
          to[i] = Float.float16ToFloat(halves[i]);
        }
      }
      case byte[] bytes -> {
        double[] values = decoded(type);
        for (int i = first; i < end; i++) {
          to[i] = (float) values[bytes[i] & 0xff];
        }
      }
      default -> throw new AssertionError(from.getClass());
    }
  }

  private static void toDoubles(Object from, ElementType type, double[] to, int first, int end) {
    switch (from) {
      case float[] floats -> {
        for (int i = first; i < end; i++) {
          to[i] = floats[i];
        }
      }
      case short[] halves -> {
        for (int i = first; i < end; i++) {
          to[i] = type.decode(halves[i] & 0xffff);
        }
      }
      case byte[] bytes -> {
        double[] values = decoded(type);
        for (int i = first; i < end; i++) {
          to[i] = values[bytes[i] & 0xff];
        }
      }
      default -> throw new AssertionError(from.getClass());
    }
  }

  private static double[] decoded(ElementType type) {
    double[] values = new double[256];
    for (int bits = 0; bits < 1 << type.bits(); bits++) {
      values[bits] = type.decode(bits);
    }
    return values;
  }

  private static void toInts(Object from, ElementType type, int[] to, int first, int end) {
    boolean signed = type.kind() == ElementType.Kind.SIGNED;
    switch (from) {
      case short[] shorts -> {
        int mask = signed ? -1 : 0xffff;
        for (int i = first; i < end; i++) {
          to[i] = shorts[i] & mask;
        }
      }
      case byte[] bytes -> {
        int mask = signed ? -1 : 0xff;
        for (int i = first; i < end; i++) {
          to[i] = bytes[i] & mask;
        }
      }
      case long[] longs -> {
        for (int i = first; i < end; i++) {
          to[i] = (int) longs[i];
        }
      }
      default -> throw new AssertionError(from.getClass());
    }
  }

  private static void toLongs(Object from, ElementType type, long[] to, int first, int end) {
    boolean signed = type.kind() == ElementType.Kind.SIGNED;
    switch (from) {
      case int[] ints -> {
        long mask = signed ? -1 : 0xffffffffL;
        for (int i = first; i < end; i++) {
          to[i] = ints[i] & mask;
        }
      }
      case short[] shorts -> {
        long mask = signed ? -1 : 0xffff;
        for (int i = first; i < end; i++) {
          to[i] = shorts[i] & mask;
        }
      }
      case byte[] bytes -> {
        long mask = signed ? -1 : 0xff;
        for (int i = first; i < end; i++) {
          to[i] = bytes[i] & mask;
        }
      }
      default -> throw new AssertionError(from.getClass());
    }
  }

  /** {@code to[i] = from[i]}, rounded once, or wrapped. */
  static void narrow(Object from, Object to, ElementType type, int first, int end) {
    switch (from) {
      case float[] floats -> fromFloats(floats, to, type, first, end);
      case double[] doubles -> fromDoubles(doubles, to, type, first, end);
      case int[] ints -> fromInts(ints, to, type, first, end);
      case long[] longs -> fromLongs(longs, to, type, first, end);
      default -> throw new AssertionError(from.getClass());
    }
  }

  private static void fromFloats(float[] from, Object to, ElementType type, int first, int end) {
    switch (to) {
      case short[] halves when type == ElementType.BF16 -> {
        for (int i = first; i < end; i++) {
          halves[i] = toBf16(from[i]);
        }
      }
      case short[] halves -> {
        for (int i = first; i < end; i++) {
          float value = from[i];
          halves[i] = !Float.isNaN(value) ? Float.floatToFloat16(value) : (short) 0x7e00;
        }
      }
      case byte[] bytes -> {
        for (int i = first; i < end; i++) {
          bytes[i] = (byte) type.encode(from[i]);
        }
      }
      default -> throw new AssertionError(to.getClass());
    }
  }

  /** To nearest, ties to even; any NaN is the quiet one. */
  private static short toBf16(float value) {
    int bits = Float.floatToRawIntBits(value);
    int rounded = (bits + 0x7fff + (bits >>> 16 & 1)) >>> 16;
    return (short) (!Float.isNaN(value) ? rounded : 0x7fc0);
  }

  private static void fromDoubles(double[] from, Object to, ElementType type, int first, int end) {
    switch (to) {
      case float[] floats -> {
        for (int i = first; i < end; i++) {
          floats[i] = (float) from[i];
        }
      }
      case short[] halves -> {
        for (int i = first; i < end; i++) {
          halves[i] = (short) type.encode(from[i]);
        }
      }
      case byte[] bytes -> {
        for (int i = first; i < end; i++) {
          bytes[i] = (byte) type.encode(from[i]);
        }
      }
      default -> throw new AssertionError(to.getClass());
    }
  }

  private static void fromInts(int[] from, Object to, ElementType type, int first, int end) {
    switch (to) {
      case short[] shorts -> {
        for (int i = first; i < end; i++) {
          shorts[i] = (short) from[i];
        }
      }
      case byte[] bytes -> {
        for (int i = first; i < end; i++) {
          bytes[i] = (byte) type.wrap(from[i]);
        }
      }
      default -> throw new AssertionError(to.getClass());
    }
  }

  private static void fromLongs(long[] from, Object to, ElementType type, int first, int end) {
    switch (to) {
      case int[] ints -> {
        for (int i = first; i < end; i++) {
          ints[i] = (int) from[i];
        }
      }
      case short[] shorts -> {
        for (int i = first; i < end; i++) {
          shorts[i] = (short) from[i];
        }
      }
      case byte[] bytes -> {
        for (int i = first; i < end; i++) {
          bytes[i] = (byte) type.wrap(from[i]);
        }
      }
      default -> throw new AssertionError(to.getClass());
    }
  }
}
