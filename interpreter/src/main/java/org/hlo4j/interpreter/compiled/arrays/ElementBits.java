package org.hlo4j.interpreter.compiled.arrays;

import org.hlo4j.hlo.ElementType;

/**
 * The representation of elements as longs: integers and booleans by value, wrapped to their type;
 * floats as the bits of the double of the same value.
 */
public final class ElementBits {
  private ElementBits() {}

  /** {@return element i of an array, whose type is not complex} */
  public static long read(ElementType type, Object storage, int i) {
    return switch (storage) {
      case float[] floats -> Double.doubleToRawLongBits(floats[i]);
      case double[] doubles -> Double.doubleToRawLongBits(doubles[i]);
      case int[] ints -> type.wrap(ints[i]);
      case long[] longs -> longs[i];
      case short[] shorts -> narrow(type, shorts[i] & 0xffffL);
      case byte[] bytes -> narrow(type, bytes[i] & 0xffL);
      default -> throw new AssertionError(storage.getClass());
    };
  }

  private static long narrow(ElementType type, long bits) {
    return type.isFloating() ? Double.doubleToRawLongBits(type.decode(bits)) : type.wrap(bits);
  }

  /** Stores a value, in its representation as a long, as element i of an array. */
  public static void write(ElementType type, Object storage, int i, long carrier) {
    switch (storage) {
      case float[] floats -> floats[i] = (float) Double.longBitsToDouble(carrier);
      case double[] doubles -> doubles[i] = Double.longBitsToDouble(carrier);
      case int[] ints -> ints[i] = (int) carrier;
      case long[] longs -> longs[i] = carrier;
      case short[] shorts -> shorts[i] = (short) bits(type, carrier);
      case byte[] bytes -> bytes[i] = (byte) bits(type, carrier);
      default -> throw new AssertionError(storage.getClass());
    }
  }

  private static long bits(ElementType type, long carrier) {
    return type.isFloating() ? type.encode(Double.longBitsToDouble(carrier)) : carrier;
  }
}
