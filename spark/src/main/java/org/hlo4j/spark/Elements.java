package org.hlo4j.spark;

import java.lang.reflect.Array;
import org.hlo4j.hlo.ElementType;

/** Elements of a literal, made of an array of Java's. */
final class Elements {
  private Elements() {}

  /**
   * Copies numbers to the elements of a type: floats are rounded, integers fit.
   *
   * @param from an array of Java's, of any length
   * @param storage the array of a literal of the type
   * @param start where the first number goes
   */
  static void copy(Object from, ElementType type, Object storage, int start) {
    boolean isFloating = from instanceof float[] || from instanceof double[];
    if (from.getClass() == storage.getClass() && type.isFloating() == isFloating) {
      System.arraycopy(from, 0, storage, start, Array.getLength(from));
      return;
    }
    switch (from) {
      case double[] values when storage instanceof float[] to -> {
        for (int i = 0; i < values.length; i++) {
          to[start + i] = (float) values[i];
        }
      }
      case long[] values when storage instanceof int[] to -> {
        for (int i = 0; i < values.length; i++) {
          to[start + i] = (int) values[i];
        }
      }
      case boolean[] values when storage instanceof byte[] to -> {
        for (int i = 0; i < values.length; i++) {
          to[start + i] = (byte) (values[i] ? 1 : 0);
        }
      }
      default -> {
        for (int i = 0; i < Array.getLength(from); i++) {
          long bits =
              type.isFloating() ? type.encode(Array.getDouble(from, i)) : Array.getLong(from, i);
          set(storage, start + i, bits);
        }
      }
    }
  }

  private static void set(Object storage, int position, long bits) {
    switch (storage) {
      case byte[] to -> to[position] = (byte) bits;
      case short[] to -> to[position] = (short) bits;
      case int[] to -> to[position] = (int) bits;
      case long[] to -> to[position] = bits;
      case float[] to -> to[position] = Float.intBitsToFloat((int) bits);
      case double[] to -> to[position] = Double.longBitsToDouble(bits);
      default -> throw new AssertionError(storage.getClass());
    }
  }

  /** Returns the position of the first integer that does not fit a type; -1 if all fit. */
  static int misfit(Object from, ElementType type) {
    if (from instanceof long[] values && type == ElementType.S32) {
      for (int i = 0; i < values.length; i++) {
        if (values[i] != (int) values[i]) {
          return i;
        }
      }
      return -1;
    }
    for (int i = 0; i < Array.getLength(from); i++) {
      long value = Array.getLong(from, i);
      boolean isNegative = value < 0 && type.kind() == ElementType.Kind.UNSIGNED;
      if (isNegative || type.wrap(value) != value) {
        return i;
      }
    }
    return -1;
  }
}
