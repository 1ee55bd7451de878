package org.hlo4j.hlo;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.math.LongMath;
import com.google.common.primitives.Ints;
import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;
import java.util.function.LongBinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * An immutable sequence of integers, one per dimension: sizes, dimension numbers, indices, strides.
 *
 * <p>Equal by content. It wraps an array so that the sizes of a shape are immutable, and provides
 * element-wise arithmetic, so that the code of an evaluator resembles the specification: {@code
 * start.plus(index.times(strides))}.
 */
public final class Dims {
  private static final Dims EMPTY = new Dims(new long[0]);

  private static final long UNKNOWN = Long.MIN_VALUE;

  /** More values than any list of devices has. */
  private static final int MAX_COUNT = 1 << 24;

  private final long[] values;
  private long product = UNKNOWN; // found when first asked for, by whichever thread

  private Dims(long[] values) {
    this.values = values;
  }

  /**
   * Returns the sequence of these values.
   *
   * @param values the values, in order
   * @return the sequence
   */
  public static Dims of(long... values) {
    requireNonNull(values, "values");
    return values.length == 0 ? EMPTY : new Dims(values.clone());
  }

  /**
   * Returns the sequence of these values.
   *
   * @param values the values, in order
   * @return the sequence
   * @throws HloException if one is null
   */
  public static Dims copyOf(Collection<? extends Number> values) {
    requireNonNull(values, "values");
    require(values.stream().noneMatch(Objects::isNull), "", "dims: one of the values is null");
    return own(values.stream().mapToLong(Number::longValue).toArray());
  }

  /**
   * Returns the numbers from one to before another, such as all dimensions of a rank: {@code
   * range(0, 3)} is (0, 1, 2).
   *
   * @param from the first number
   * @param to the number after the last
   * @return the sequence, empty if {@code to} is not above {@code from}
   * @throws HloException if there are more than 2^24 numbers
   */
  public static Dims range(long from, long to) {
    long count = to > from ? LongMath.saturatedSubtract(to, from) : 0;
    require(count <= MAX_COUNT, "", "dims: got %s values, want at most %s", count, MAX_COUNT);
    return own(LongStream.range(from, to).toArray());
  }

  /**
   * Returns the same value a number of times.
   *
   * @param count how many times
   * @param value the value
   * @return the sequence
   * @throws HloException if the count is negative or above 2^24
   */
  public static Dims filled(int count, long value) {
    require(
        count >= 0 && count <= MAX_COUNT,
        "",
        "dims: got %s values, want 0 to %s",
        count,
        MAX_COUNT);
    long[] values = new long[count];
    Arrays.fill(values, value);
    return own(values);
  }

  private static Dims own(long[] values) {
    return values.length == 0 ? EMPTY : new Dims(values);
  }

  /**
   * Returns how many values there are.
   *
   * @return the count
   */
  public int count() {
    return values.length;
  }

  /**
   * Returns whether there are no values.
   *
   * @return whether it is empty
   */
  public boolean isEmpty() {
    return values.length == 0;
  }

  /**
   * Returns the value at a position.
   *
   * @param position from 0
   * @return the value
   * @throws HloException if there is no such position
   */
  public long get(int position) {
    try {
      return values[position];
    } catch (ArrayIndexOutOfBoundsException none) {
      throw outside(position);
    }
  }

  private HloException outside(int position) {
    return new HloException(
        "", "dims: got position " + position + " of " + this + ", want one below " + count());
  }

  /**
   * Returns the value at a position, as an int; for dimension numbers and other values known to be
   * small.
   *
   * @param position from 0
   * @return the value
   * @throws ArithmeticException if it is not an int
   * @throws HloException if there is no such position
   */
  public int getInt(int position) {
    return Math.toIntExact(get(position));
  }

  /**
   * Returns the position of the first occurrence of a value.
   *
   * @param value the value looked for
   * @return the position, or -1
   */
  public int indexOf(long value) {
    for (int i = 0; i < values.length; i++) {
      if (values[i] == value) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Returns whether a value occurs.
   *
   * @param value the value looked for
   * @return whether it occurs
   */
  public boolean contains(long value) {
    return indexOf(value) >= 0;
  }

  /**
   * Returns the values in order.
   *
   * @return a stream of them
   */
  public LongStream stream() {
    return Arrays.stream(values);
  }

  /**
   * Returns the values in order, in an array of their own.
   *
   * @return a copy
   */
  public long[] toArray() {
    return values.clone();
  }

  /**
   * Returns the same sequence with another value at one position.
   *
   * @param position from 0
   * @param value the new value there
   * @return the new sequence
   * @throws HloException if there is no such position
   */
  public Dims with(int position, long value) {
    if (position < 0 || position >= values.length) {
      throw outside(position);
    }
    long[] next = values.clone();
    next[position] = value;
    return own(next);
  }

  /**
   * Returns the same sequence with one more value, before a position.
   *
   * @param position from 0 to {@link #count}
   * @param value the new value
   * @return the new sequence
   * @throws HloException if there is no such position
   */
  public Dims inserted(int position, long value) {
    if (position < 0 || position > values.length) {
      throw outside(position);
    }
    long[] next = new long[values.length + 1];
    System.arraycopy(values, 0, next, 0, position);
    next[position] = value;
    System.arraycopy(values, position, next, position + 1, values.length - position);
    return own(next);
  }

  /**
   * Returns these values followed by others.
   *
   * @param others the others
   * @return the new sequence
   */
  public Dims concat(Dims others) {
    requireNonNull(others, "others");
    return own(LongStream.concat(stream(), others.stream()).toArray());
  }

  /**
   * Returns the values from one position to before another.
   *
   * @param from the first position
   * @param to the position after the last
   * @return the new sequence
   * @throws HloException if these are no positions of it, or {@code to} is before {@code from}
   */
  public Dims subList(int from, int to) {
    require(
        from >= 0 && from <= to && to <= values.length,
        "",
        "dims: got positions %s to %s of %s, want some up to %s",
        from,
        to,
        this,
        count());
    return own(Arrays.copyOfRange(values, from, to));
  }

  /**
   * Returns the values at some positions: {@code result[i] = this[positions[i]]}.
   *
   * @param positions positions in this sequence
   * @return the new sequence, as long as {@code positions}
   * @throws HloException if one is no position of this sequence
   */
  public Dims at(Dims positions) {
    requireNonNull(positions, "positions");
    long[] next = new long[positions.count()];
    for (int i = 0; i < next.length; i++) {
      next[i] = get(Ints.saturatedCast(positions.values[i]));
    }
    return own(next);
  }

  /**
   * Returns the values at all positions but some, in order.
   *
   * @param positions positions in this sequence
   * @return the new sequence
   */
  public Dims without(Dims positions) {
    requireNonNull(positions, "positions");
    return own(
        IntStream.range(0, values.length)
            .filter(i -> !positions.contains(i))
            .mapToLong(i -> values[i])
            .toArray());
  }

  /**
   * Returns the sum, value by value.
   *
   * @param others as many values
   * @return the new sequence
   */
  public Dims plus(Dims others) {
    return zip(others, (a, b) -> a + b);
  }

  /**
   * Returns the difference, value by value.
   *
   * @param others as many values
   * @return the new sequence
   */
  public Dims minus(Dims others) {
    return zip(others, (a, b) -> a - b);
  }

  /**
   * Returns the product, value by value.
   *
   * @param others as many values
   * @return the new sequence
   */
  public Dims times(Dims others) {
    return zip(others, (a, b) -> a * b);
  }

  /**
   * Clamps each value: first to the lower bound, then to the upper bound.
   *
   * @param least as many lower bounds
   * @param most as many upper bounds
   * @return the new sequence
   */
  public Dims clamp(Dims least, Dims most) {
    requireNonNull(least, "least");
    requireNonNull(most, "most");
    return zip(least, Math::max).zip(most, Math::min);
  }

  private Dims zip(Dims others, LongBinaryOperator operator) {
    requireNonNull(others, "others");
    require(others.count() == count(), "", "got %s for %s, want as many values", others, this);
    long[] next = new long[values.length];
    for (int i = 0; i < next.length; i++) {
      next[i] = operator.applyAsLong(values[i], others.values[i]);
    }
    return own(next);
  }

  /**
   * Returns whether this is an index into an array of these sizes: each value from 0 to below its
   * size.
   *
   * @param sizes as many sizes
   * @return whether all values are in bounds
   * @throws HloException if there are more or fewer sizes
   */
  public boolean inBounds(Dims sizes) {
    requireNonNull(sizes, "sizes");
    if (sizes.values.length != values.length) {
      throw new HloException("", "got sizes " + sizes + " for " + this + ", want as many values");
    }
    for (int i = 0; i < values.length; i++) {
      if (values[i] < 0 || values[i] >= sizes.values[i]) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns the strides of a row-major array of these sizes: 1 for the last dimension, and for each
   * other one the product of the sizes after it.
   *
   * @return a stride for each dimension
   */
  public Dims rowMajorStrides() {
    long[] strides = new long[count()];
    long stride = 1;
    for (int d = strides.length - 1; d >= 0; d--) {
      strides[d] = stride;
      stride *= values[d];
    }
    return new Dims(strides);
  }

  /**
   * Returns the product of all values, 1 if there are none.
   *
   * @return the product
   * @throws ArithmeticException if it is beyond the range of long
   */
  public long product() {
    long known = product;
    if (known == UNKNOWN) {
      known = multiplied();
      product = known;
    }
    return known;
  }

  private long multiplied() {
    if (contains(0)) {
      return 0;
    }
    long all = 1;
    for (long value : values) {
      all = Math.multiplyExact(all, value);
    }
    return all;
  }

  /**
   * Returns whether each value is above the one before it.
   *
   * @return whether it is so
   */
  public boolean isStrictlyIncreasing() {
    return IntStream.range(1, values.length).allMatch(i -> values[i - 1] < values[i]);
  }

  /**
   * Returns whether these are the numbers 0 to count - 1, in any order.
   *
   * @return whether it is so
   */
  public boolean isPermutation() {
    return stream().allMatch(value -> value >= 0 && value < values.length) && isDistinct();
  }

  /**
   * Returns whether no value occurs twice.
   *
   * @return whether it is so
   */
  public boolean isDistinct() {
    return stream().distinct().count() == values.length;
  }

  /**
   * Returns the permutation that undoes this one: {@code inverse[this[i]] = i}.
   *
   * @return the inverse
   * @throws HloException if this is no permutation
   */
  public Dims inverse() {
    require(isPermutation(), "", "dims: got %s, want a permutation of 0 to %s", this, count() - 1);
    long[] next = new long[values.length];
    for (int i = 0; i < next.length; i++) {
      next[getInt(i)] = i;
    }
    return own(next);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Dims that && Arrays.equals(values, that.values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  /** Returns the values as a tuple: {@code (0, 2)}. */
  @Override
  public String toString() {
    return stream().mapToObj(Long::toString).collect(Collectors.joining(", ", "(", ")"));
  }
}
