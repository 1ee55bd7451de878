package org.hlo4j.stablehlo;

import org.hlo4j.stablehlo.mlir.Place;

/**
 * A comparison of two values that a self-checking program asks for.
 *
 * @param rule how the values are compared
 * @param tolerance the largest allowed difference of finite numbers, for {@link Rule#ALMOST_EQUAL}
 * @param minUlps the least allowed difference in units in the last place, for {@link Rule#CLOSE}
 * @param maxUlps the largest allowed difference in units in the last place, for {@link Rule#CLOSE}
 * @param place the position of the check in the file
 */
public record Check(Rule rule, double tolerance, long minUlps, long maxUlps, Place place) {
  /** How values are compared. */
  public enum Rule {
    /** Equal as numbers: a NaN equals nothing, 0 equals -0. */
    EQUAL,
    /** Equal, or both NaN, or both finite with a difference of at most the tolerance. */
    ALMOST_EQUAL,
    /** The difference in units in the last place is within the allowed range. */
    CLOSE,
    /** Integers have to be equal, other numbers almost equal. */
    EQUAL_OR_ALMOST
  }

  /**
   * {@return a check for equal values}
   *
   * @param place the position of the check in the file
   */
  public static Check equal(Place place) {
    return new Check(Rule.EQUAL, 0, 0, 0, place);
  }

  /**
   * {@return a check for almost equal values}
   *
   * @param tolerance the largest allowed difference
   * @param place the position of the check in the file
   */
  public static Check almost(double tolerance, Place place) {
    return new Check(Rule.ALMOST_EQUAL, tolerance, 0, 0, place);
  }

  /**
   * {@return a check for close values}
   *
   * @param minUlps the least allowed difference in units in the last place
   * @param maxUlps the largest allowed difference in units in the last place
   * @param place the position of the check in the file
   */
  public static Check close(long minUlps, long maxUlps, Place place) {
    return new Check(Rule.CLOSE, 0, minUlps, maxUlps, place);
  }
}
