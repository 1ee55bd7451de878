package org.hlo4j.interpreter.compiled.codegen;

/** An order of the elements of two vectors, a and b: as many of them as one has. */
public enum LaneShuffle {
  /** {@code a[0], b[0], a[1], b[1] ...}: their lower halves interleaved. */
  LOWER,
  /** Their upper halves interleaved. */
  UPPER,
  /** {@code a[0], a[2] ... b[0], b[2] ...} */
  EVEN,
  /** {@code a[1], a[3] ... b[1], b[3] ...} */
  ODD,
  /** Every other one from {@code a[0]} on, if b begins with the last of a. */
  ALTERNATE,
  /** Those of a, the last one first. */
  REVERSED;

  /**
   * What each element is of a and b one after the other, given its number in the result, in a lane
   * of integers.
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
