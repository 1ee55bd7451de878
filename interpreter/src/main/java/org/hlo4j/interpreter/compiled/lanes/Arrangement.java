package org.hlo4j.interpreter.compiled.lanes;

/** An order of the elements of two vectors, a and b: as many of them as one has. */
public enum Arrangement {
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
  Value order(Lanes lanes, Value number) {
    return switch (this) {
      case LOWER -> interleaved(lanes, number, 0);
      case UPPER -> interleaved(lanes, number, lanes.width() / 2);
      case EVEN -> lanes.shiftLeft(number, 1);
      case ODD -> lanes.add(lanes.shiftLeft(number, 1), lanes.constant(number.lane(), 1));
      case ALTERNATE -> alternate(lanes, number);
      case REVERSED -> lanes.subtract(lanes.constant(number.lane(), lanes.width() - 1), number);
    };
  }

  private static Value alternate(Lanes lanes, Value number) {
    int bits = Integer.numberOfTrailingZeros(lanes.width()) - 1;
    Value isUpper = lanes.shiftRightLogical(number, bits);
    return lanes.add(lanes.shiftLeft(number, 1), isUpper);
  }

  private static Value interleaved(Lanes lanes, Value number, int first) {
    Value half = lanes.shiftRightLogical(number, 1);
    Value isOdd = lanes.and(number, lanes.constant(number.lane(), 1));
    Value from = lanes.add(half, lanes.constant(number.lane(), first));
    return lanes.add(from, lanes.multiply(isOdd, lanes.constant(number.lane(), lanes.width())));
  }
}
