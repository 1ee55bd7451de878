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
  public static void write(ElementType type, Object storage, int i, long encoded) {
    switch (storage) {
      case float[] floats -> floats[i] = (float) Double.longBitsToDouble(encoded);
      case double[] doubles -> doubles[i] = Double.longBitsToDouble(encoded);
      case int[] ints -> ints[i] = (int) encoded;
      case long[] longs -> longs[i] = encoded;
      case short[] shorts -> shorts[i] = (short) bits(type, encoded);
      case byte[] bytes -> bytes[i] = (byte) bits(type, encoded);
      default -> throw new AssertionError(storage.getClass());
    }
  }

  private static long bits(ElementType type, long encoded) {
    return type.isFloating() ? type.encode(Double.longBitsToDouble(encoded)) : encoded;
  }
}
