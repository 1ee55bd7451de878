package org.hlo4j.interpreter.compiled.codegen;

/** A shuffle of the elements of two vectors, a and b, into one vector. */
public enum LaneShuffle {
  /** {@code a[0], b[0], a[1], b[1] ...}: the lower halves, interleaved. */
  LOWER,
  /** The upper halves, interleaved. */
  UPPER,
  /** {@code a[0], a[2] ... b[0], b[2] ...} */
  EVEN,
  /** {@code a[1], a[3] ... b[1], b[3] ...} */
  ODD,
  /**
   * {@code a[0], a[2] ... b[1], b[3] ...}: every other element from {@code a[0]} on, if {@code
   * b[0]} repeats the last element of a.
   */
  ALTERNATE,
  /** The elements of a in reverse order. */
  REVERSED;

  /**
   * Returns the index, in the concatenation of a and b, of each element of the result.
   *
   * @param number the indices of the elements of the result, in an integer lane
   */
  Value order(CodeEmitter emitter, Value number) {
    return switch (this) {
      case LOWER -> interleaved(emitter, number, 0);
      case UPPER -> interleaved(emitter, number, emitter.width() / 2);
      case EVEN -> emitter.shiftLeft(number, 1);
      case ODD -> emitter.add(emitter.shiftLeft(number, 1), emitter.constant(number.lane(), 1));
      case ALTERNATE -> alternate(emitter, number);
      case REVERSED ->
          emitter.subtract(emitter.constant(number.lane(), emitter.width() - 1), number);
    };
  }

  private static Value alternate(CodeEmitter emitter, Value number) {
    int bits = Integer.numberOfTrailingZeros(emitter.width()) - 1;
    Value isUpper = emitter.shiftRightLogical(number, bits);
    return emitter.add(emitter.shiftLeft(number, 1), isUpper);
  }

  private static Value interleaved(CodeEmitter emitter, Value number, int first) {
    Value half = emitter.shiftRightLogical(number, 1);
    Value isOdd = emitter.and(number, emitter.constant(number.lane(), 1));
    Value from = emitter.add(half, emitter.constant(number.lane(), first));
    return emitter.add(
        from, emitter.multiply(isOdd, emitter.constant(number.lane(), emitter.width())));
  }
}
