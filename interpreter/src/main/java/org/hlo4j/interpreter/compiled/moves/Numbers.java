package org.hlo4j.interpreter.compiled.moves;

import org.hlo4j.hlo.ElementType;

/** Indices in arrays of any integer type. */
final class Numbers {
  private Numbers() {}

  /**
   * One number; one beyond the signed range, which no array reaches, as the greatest there is.
   *
   * @param type a type of integers
   * @param storage an array of it
   * @param at the position
   */
  static long at(ElementType type, Object storage, int at) {
    long bits =
        switch (storage) {
          case int[] ints -> ints[at];
          case long[] longs -> longs[at];
          case short[] shorts -> shorts[at];
          case byte[] bytes -> bytes[at];
          default -> throw new AssertionError(storage.getClass());
        };
    long number = type.wrap(bits);
    return number < 0 && type.kind() == ElementType.Kind.UNSIGNED ? Long.MAX_VALUE : number;
  }
}
