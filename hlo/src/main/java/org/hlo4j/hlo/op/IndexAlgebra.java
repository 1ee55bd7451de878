package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * Arithmetic on the indices of arrays, for {@link Movement#source}. An index may be a number, a
 * formula of loop counters, or a value of generated code.
 *
 * <p>An index that stands for many numbers may have several answers to a question such as {@link
 * #region}. An implementation then gives the answer for some of the numbers, and its caller asks
 * again for the others, or it throws an exception of its own.
 *
 * @param <I> the type of an index
 */
public interface IndexAlgebra<I> {
  /**
   * Returns a constant.
   *
   * @param value its value
   * @return the index
   */
  I constant(long value);

  /**
   * Returns a sum.
   *
   * @param a an index
   * @param b another
   * @return {@code a + b}
   */
  I plus(I a, I b);

  /**
   * Returns a product.
   *
   * @param a an index
   * @param factor the other factor
   * @return {@code a * factor}
   */
  I times(I a, long factor);

  /**
   * Returns a quotient.
   *
   * @param a an index
   * @param divisor the divisor, above 0
   * @return {@code a / divisor}, rounded down
   */
  I quotient(I a, long divisor);

  /**
   * Returns what a quotient leaves.
   *
   * @param a an index
   * @param divisor the divisor, above 0
   * @return the number from 0 to {@code divisor - 1} that differs from a by a multiple of it
   */
  I remainder(I a, long divisor);

  /**
   * Returns whether an index is a multiple of a number.
   *
   * @param a the index
   * @param divisor the number, above 0
   * @return whether it divides the index
   */
  boolean isMultiple(I a, long divisor);

  /**
   * Returns the region in which an index is.
   *
   * @param a the index
   * @param bounds the beginning of each region but the first, ascending
   * @return how many of them are at or below the index
   */
  int region(I a, long... bounds);

  /**
   * Returns where the operands of a concatenation end. An implementation that is asked once for
   * each of many runs of elements keeps the answer.
   *
   * @param operands the shapes of the operands
   * @param dimension the concatenated dimension
   * @return the index after the last one of each operand
   */
  default long[] ends(List<Shape.Array> operands, int dimension) {
    long[] ends = operands.stream().mapToLong(operand -> operand.size(dimension)).toArray();
    Arrays.parallelPrefix(ends, Long::sum);
    return ends;
  }

  /**
   * Returns a start index that is data.
   *
   * @param operand the number of the operand that holds it
   * @param index where it is in this operand
   * @param max the greatest start at which a window fits
   * @return the element, clamped to the range from 0 to max
   */
  I start(int operand, List<I> index, long max);

  /**
   * Returns a sum with a number.
   *
   * @param a an index
   * @param amount the number
   * @return {@code a + amount}
   */
  default I shifted(I a, long amount) {
    return amount == 0 ? a : plus(a, constant(amount));
  }

  /**
   * Returns the row-major position of an element.
   *
   * @param index the index of the element
   * @param sizes the sizes of the array
   * @return the position
   */
  default I position(List<I> index, Dims sizes) {
    I position = constant(0);
    for (int d = 0; d < sizes.count(); d++) {
      position = plus(times(position, sizes.get(d)), index.get(d));
    }
    return position;
  }

  /**
   * Returns the region in which a number is, as {@link #region} does.
   *
   * @param number the number
   * @param bounds the beginning of each region but the first, ascending
   * @return how many of them are at or below the number
   */
  static int regionOf(long number, long... bounds) {
    requireNonNull(bounds, "bounds");
    int low = 0;
    int high = bounds.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (bounds[middle] <= number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Returns the index of the element at a row-major position.
   *
   * @param position the position, of an element
   * @param sizes the sizes of the array
   * @return the index
   */
  default ImmutableList<I> index(I position, Dims sizes) {
    List<I> index = new ArrayList<>();
    I rest = position;
    for (int d = sizes.count() - 1; d > 0; d--) {
      index.add(remainder(rest, sizes.get(d)));
      rest = quotient(rest, sizes.get(d));
    }
    if (!sizes.isEmpty()) {
      index.add(rest);
    }
    return ImmutableList.copyOf(index.reversed());
  }
}
