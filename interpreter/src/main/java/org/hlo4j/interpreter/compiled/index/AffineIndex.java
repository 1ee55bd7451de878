package org.hlo4j.interpreter.compiled.index;

import com.google.common.primitives.ImmutableLongArray;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An affine function of the loop counters: {@code base + sum of coefficient[c] * counter[c]}.
 * Counters without a stored coefficient have coefficient 0.
 *
 * <p>{@code equals} and {@code hashCode} are written out here, as in the other records that the
 * first loops of a process compare. The methods that Java generates for a record are linked when
 * they are first called, which takes 10 ms for the first such record.
 */
public record AffineIndex(long base, ImmutableLongArray coefficients) {
  public AffineIndex {
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

  public static AffineIndex constant(long base) {
    return new AffineIndex(base, ImmutableLongArray.of());
  }

  /** Returns the index whose value is one counter. */
  public static AffineIndex counter(int counter) {
    return constant(0).with(counter, 1);
  }

  public long coefficient(int counter) {
    return counter < coefficients.length() ? coefficients.get(counter) : 0;
  }

  /** Returns the number of stored coefficients. Counters from this number on have coefficient 0. */
  public int counters() {
    return coefficients.length();
  }

  public AffineIndex with(int counter, long coefficient) {
    ImmutableLongArray.Builder next = ImmutableLongArray.builder();
    int length = Math.max(coefficients.length(), counter + 1);
    for (int c = 0; c < length; c++) {
      next.add(c == counter ? coefficient : coefficient(c));
    }
    return new AffineIndex(base, next.build());
  }

  public AffineIndex withBase(long newBase) {
    return new AffineIndex(newBase, coefficients);
  }

  public AffineIndex plus(long amount) {
    return withBase(base + amount);
  }

  public AffineIndex plus(AffineIndex other) {
    ImmutableLongArray.Builder sums = ImmutableLongArray.builder();
    for (int c = 0; c < Math.max(counters(), other.counters()); c++) {
      sums.add(coefficient(c) + other.coefficient(c));
    }
    return new AffineIndex(base + other.base, sums.build());
  }

  public AffineIndex times(long factor) {
    return mapped(value -> value * factor);
  }

  /** Returns this index with a function applied to the base and to each coefficient. */
  public AffineIndex mapped(LongUnaryOperator function) {
    ImmutableLongArray.Builder next = ImmutableLongArray.builder();
    coefficients.forEach(value -> next.add(function.applyAsLong(value)));
    return new AffineIndex(function.applyAsLong(base), next.build());
  }

  /** Returns the value for some values of the counters. Counters without a value count as 0. */
  public long at(long[] values) {
    long sum = base;
    for (int c = 0; c < Math.min(values.length, counters()); c++) {
      sum += coefficients.get(c) * values[c];
    }
    return sum;
  }
}
