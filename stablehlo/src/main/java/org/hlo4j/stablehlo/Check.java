package org.hlo4j.stablehlo;

import org.hlo4j.stablehlo.mlir.Place;

/**
 * What a self-checking program asks of two of its values.
 *
 * @param rule how they are compared
 * @param tolerance how far apart finite numbers may be, for {@link Rule#ALMOST_EQUAL}
 * @param minUlps how many units in the last place they differ at least, for {@link Rule#CLOSE}
 * @param maxUlps how many they differ at most
 * @param place where the file asks
 */
public record Check(Rule rule, double tolerance, long minUlps, long maxUlps, Place place) {
  /** How values are compared. */
  public enum Rule {
    /** Equal as numbers: a NaN equals nothing, 0 equals -0. */
    EQUAL,
    /** Equal, or both NaN, or finite and not further apart than the tolerance. */
    ALMOST_EQUAL,
    /** As many units in the last place apart as is allowed. */
    CLOSE,
    /** Integers equal, other numbers almost. */
    EQUAL_OR_ALMOST
  }

  /**
   * {@return a check for equal values}
   *
   * @param place where the file asks
   */
  public static Check equal(Place place) {
    return new Check(Rule.EQUAL, 0, 0, 0, place);
  }

  /**
   * {@return a check for almost equal values}
   *
   * @param tolerance how far apart they may be
   * @param place where the file asks
   */
  public static Check almost(double tolerance, Place place) {
    return new Check(Rule.ALMOST_EQUAL, tolerance, 0, 0, place);
  }

  /**
   * {@return a check for close values}
   *
   * @param minUlps how many units in the last place they differ at least
   * @param maxUlps how many at most
   * @param place where the file asks
   */
  public static Check close(long minUlps, long maxUlps, Place place) {
    return new Check(Rule.CLOSE, 0, minUlps, maxUlps, place);
  }
}
