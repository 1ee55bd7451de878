package org.hlo4j.check.compare;

import com.google.common.base.Suppliers;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The values of an element that the roundings of a program justify.
 *
 * @param low the least
 * @param high the greatest
 * @param open what leaves the element open, so that it may have any value; empty if nothing does
 * @param why gives the {@link #reason}, for which programs may run again
 */
public record Interval(double low, double high, Optional<LeftOpen> open, Supplier<String> why) {
  static final Interval UNBOUNDED =
      new Interval(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);

  Interval(double low, double high) {
    this(low, high, Optional.empty(), () -> "");
  }

  static Interval ofOpen(LeftOpen row) {
    return new Interval(
        Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, Optional.of(row), () -> "");
  }

  Interval because(Supplier<String> reason) {
    return new Interval(low, high, open, Suppliers.memoize(reason::get));
  }

  /**
   * Returns the instruction and the allowance that decided it, such as "dot.3: 64 terms added in
   * f32 in any order". The program may run some times to find them, when first asked.
   *
   * @return the reason; empty if there is none
   */
  public String reason() {
    return why.get();
  }

  /**
   * Returns whether there are values that roundings do not justify.
   *
   * @return whether this is not the interval from minus infinity to infinity
   */
  public boolean isBounded() {
    return low != Double.NEGATIVE_INFINITY || high != Double.POSITIVE_INFINITY;
  }

  /** Returns whether roundings justify one value only. */
  boolean isExact() {
    return isBounded() && (Double.compare(low, high) == 0 || Double.isNaN(low));
  }

  boolean holds(double number) {
    return Double.compare(low, number) <= 0 && Double.compare(number, high) <= 0;
  }

  double width() {
    return high - low;
  }

  /** Returns the interval in which another value may be, which itself may be another one. */
  Interval widened(Interval of, double value) {
    return isBounded() && of.isBounded()
        ? new Interval(low - (of.high() - value), high + (value - of.low()))
        : UNBOUNDED;
  }

  /** Returns whether another one is the same, for the same reason. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Interval that
        && Double.compare(low, that.low) == 0
        && Double.compare(high, that.high) == 0
        && open.equals(that.open)
        && reason().equals(that.reason());
  }

  @Override
  public int hashCode() {
    return Objects.hash(low, high, open);
  }

  @Override
  public String toString() {
    String values =
        !isBounded() ? "any value" : isExact() ? "no other value" : "from " + low + " to " + high;
    return reason().isEmpty() ? values : values + " (" + reason() + ")";
  }
}
