package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.IntFunction;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * An op that copies elements to other positions without computing; iota computes them from their
 * indices.
 */
public sealed interface Movement extends Op
    permits Bitcast,
        Broadcast,
        Concatenate,
        DynamicSlice,
        DynamicUpdateSlice,
        Gather,
        Iota,
        Pad,
        Reshape,
        Reverse,
        Slice,
        Transpose {
  /**
   * Returns the op that takes the first elements in each dimension.
   *
   * @param sizes how many
   * @return the op, of one operand
   */
  static Movement first(Dims sizes) {
    requireNonNull(sizes, "sizes");
    return Slice.of(Dims.filled(sizes.count(), 0), sizes, Dims.filled(sizes.count(), 1));
  }

  /**
   * Returns the op that puts a value behind the elements in each dimension.
   *
   * @param sizes how many elements there are
   * @param filled how many there are then
   * @return the op, of an array and the value
   */
  static Movement filled(Dims sizes, Dims filled) {
    requireNonNull(filled, "filled");
    requireNonNull(sizes, "sizes");
    Dims zeros = Dims.filled(sizes.count(), 0);
    return new Pad(new PadConfig(zeros, filled.minus(sizes), zeros));
  }

  /**
   * Returns which element of which operand an element of the result is. All arrays are row-major
   * and have static sizes.
   *
   * @param x arithmetic on indices
   * @param operands the shapes of the operands
   * @param result the shape of the result
   * @param index the index of the element of the result
   * @param <I> the type of an index
   * @return where the element comes from
   */
  <I> Source<I> source(
      IndexAlgebra<I> x, List<Shape.Array> operands, Shape.Array result, List<I> index);

  /**
   * Where an element of a result comes from.
   *
   * @param <I> the type of an index
   */
  sealed interface Source<I> {
    /**
     * Returns an element of an operand whose index is a function of the dimension.
     *
     * @param operand the number of the operand
     * @param rank the number of its dimensions
     * @param index the function
     * @param <I> the type of an index
     * @return the element
     */
    static <I> Source<I> at(int operand, int rank, IntFunction<I> index) {
      requireNonNull(index, "index");
      ImmutableList.Builder<I> indices = ImmutableList.builderWithExpectedSize(rank);
      for (int d = 0; d < rank; d++) {
        indices.add(index.apply(d));
      }
      return new Element<>(operand, indices.build());
    }

    /**
     * An element of an operand.
     *
     * @param operand the number of the operand
     * @param index the index of the element
     * @param <I> the type of an index
     */
    record Element<I>(int operand, List<I> index) implements Source<I> {}

    /**
     * The index itself, as iota counts.
     *
     * @param value the index
     * @param <I> the type of an index
     */
    record Counted<I>(I value) implements Source<I> {}
  }
}
