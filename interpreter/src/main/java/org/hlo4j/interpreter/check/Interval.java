package org.hlo4j.interpreter.check;

/**
 * The values of an element that the roundings of a program justify.
 *
 * @param low the least
 * @param high the greatest
 * @param isBounded false if any value is justified
 */
public record Interval(double low, double high, boolean isBounded) {
  static final Interval UNBOUNDED =
      new Interval(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, false);

  /** Returns whether roundings justify one value only. */
  boolean isExact() {
    return isBounded && (low == high || Double.isNaN(low));
  }

  @Override
  public String toString() {
    return !isBounded ? "any value" : isExact() ? "no other value" : "from " + low + " to " + high;
  }
}
