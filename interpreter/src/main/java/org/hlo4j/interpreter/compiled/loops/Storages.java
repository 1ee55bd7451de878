package org.hlo4j.interpreter.compiled.loops;

import org.hlo4j.hlo.ElementType;

/** Primitive arrays as literals have them. */
final class Storages {
  private Storages() {}

  /** An array for so many elements of a type. */
  static Object of(ElementType type, int count) {
    return switch (type.bits()) {
      case 64 -> type.isFloating() ? new double[count] : new long[count];
      case 32 -> type.isFloating() ? new float[count] : new int[count];
      case 16 -> new short[count];
      default -> new byte[count];
    };
  }

  /** An element of an integer type, as a signed number; beyond all of those the greatest. */
  static long number(Object storage, ElementType type, int position) {
    long bits =
        switch (storage) {
          case byte[] bytes -> bytes[position];
          case short[] shorts -> shorts[position];
          case int[] ints -> ints[position];
          case long[] longs -> longs[position];
          default -> throw new IllegalArgumentException("no integers of " + type);
        };
    long number = type.wrap(bits);
    boolean beyond = number < 0 && type.kind() == ElementType.Kind.UNSIGNED;
    return beyond ? Long.MAX_VALUE : number;
  }
}
