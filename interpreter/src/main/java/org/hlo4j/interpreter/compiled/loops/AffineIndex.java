package org.hlo4j.interpreter.compiled.loops;

import com.google.common.primitives.ImmutableLongArray;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A number that depends on counters: {@code base + sum of coefficient[c] * counter[c]}. Counters
 * that are not mentioned have coefficient 0.
 *
 * <p>This and other records that the first loops of a process compare say how: Java makes that for
 * a record where it is asked for, and takes 10 ms for the first.
 */
record AffineIndex(long base, ImmutableLongArray coefficients) {
  AffineIndex {
    int length = coefficients.length();
    while (length > 0 && coefficients.get(length - 1) == 0) {
      length--;
    }
    coefficients = coefficients.subArray(0, length).trimmed();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof AffineIndex that
        && base == that.base
        && coefficients.equals(that.coefficients);
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(base) + coefficients.hashCode();
  }

  static AffineIndex constant(long base) {
    return new AffineIndex(base, ImmutableLongArray.of());
  }

  /** A counter by itself. */
  static AffineIndex counter(int counter) {
    return constant(0).with(counter, 1);
  }

  long coefficient(int counter) {
    return counter < coefficients.length() ? coefficients.get(counter) : 0;
  }

  /** How many counters may be mentioned. */
  int counters() {
    return coefficients.length();
  }

  AffineIndex with(int counter, long coefficient) {
    ImmutableLongArray.Builder next = ImmutableLongArray.builder();
    int length = Math.max(coefficients.length(), counter + 1);
    for (int c = 0; c < length; c++) {
      next.add(c == counter ? coefficient : coefficient(c));
    }
    return new AffineIndex(base, next.build());
  }

  AffineIndex withBase(long newBase) {
    return new AffineIndex(newBase, coefficients);
  }

  AffineIndex plus(long amount) {
    return withBase(base + amount);
  }

  AffineIndex plus(AffineIndex other) {
    ImmutableLongArray.Builder sums = ImmutableLongArray.builder();
    for (int c = 0; c < Math.max(counters(), other.counters()); c++) {
      sums.add(coefficient(c) + other.coefficient(c));
    }
    return new AffineIndex(base + other.base, sums.build());
  }

  AffineIndex times(long factor) {
    return mapped(value -> value * factor);
  }

  /** This with a function applied to the base and to each coefficient. */
  AffineIndex mapped(LongUnaryOperator function) {
    ImmutableLongArray.Builder next = ImmutableLongArray.builder();
    coefficients.forEach(value -> next.add(function.applyAsLong(value)));
    return new AffineIndex(function.applyAsLong(base), next.build());
  }

  /** The value where some counters have run. */
  long at(long[] values) {
    long sum = base;
    for (int c = 0; c < Math.min(values.length, counters()); c++) {
      sum += coefficients.get(c) * values[c];
    }
    return sum;
  }
}
