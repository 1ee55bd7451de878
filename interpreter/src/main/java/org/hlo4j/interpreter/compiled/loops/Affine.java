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
record Affine(long base, ImmutableLongArray coefficients) {
  Affine {
    int length = coefficients.length();
    while (length > 0 && coefficients.get(length - 1) == 0) {
      length--;
    }
    coefficients = coefficients.subArray(0, length).trimmed();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Affine that
        && base == that.base
        && coefficients.equals(that.coefficients);
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(base) + coefficients.hashCode();
  }

  static Affine constant(long base) {
    return new Affine(base, ImmutableLongArray.of());
  }

  /** A counter by itself. */
  static Affine counter(int counter) {
    return constant(0).with(counter, 1);
  }

  long coefficient(int counter) {
    return counter < coefficients.length() ? coefficients.get(counter) : 0;
  }

  /** How many counters may be mentioned. */
  int counters() {
    return coefficients.length();
  }

  Affine with(int counter, long coefficient) {
    ImmutableLongArray.Builder next = ImmutableLongArray.builder();
    int length = Math.max(coefficients.length(), counter + 1);
    for (int c = 0; c < length; c++) {
      next.add(c == counter ? coefficient : coefficient(c));
    }
    return new Affine(base, next.build());
  }

  Affine withBase(long newBase) {
    return new Affine(newBase, coefficients);
  }

  Affine plus(long amount) {
    return withBase(base + amount);
  }

  Affine plus(Affine other) {
    ImmutableLongArray.Builder sums = ImmutableLongArray.builder();
    for (int c = 0; c < Math.max(counters(), other.counters()); c++) {
      sums.add(coefficient(c) + other.coefficient(c));
    }
    return new Affine(base + other.base, sums.build());
  }

  Affine times(long factor) {
    return mapped(value -> value * factor);
  }

  /** This with a function applied to the base and to each coefficient. */
  Affine mapped(LongUnaryOperator function) {
    ImmutableLongArray.Builder next = ImmutableLongArray.builder();
    coefficients.forEach(value -> next.add(function.applyAsLong(value)));
    return new Affine(function.applyAsLong(base), next.build());
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
