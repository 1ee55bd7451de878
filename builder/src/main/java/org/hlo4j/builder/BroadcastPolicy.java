package org.hlo4j.builder;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * A rule by which operands of different shapes are broadcast to one shape. It is passed to one op
 * ({@code x.add(v, numpy())}) or to a builder as its default ({@code
 * builder.defaultBroadcast(numpy())}).
 *
 * <p>The policies of NumPy, PaddlePaddle and OpenVINO are values made by {@code
 * org.hlo4j.builder.broadcast.BroadcastPolicies}. A policy only maps dimensions. The lowering to
 * explicit HLO adds, for each operand that does not have the result's shape, at most one reshape
 * (it drops the dimensions of size 1 that are stretched), for a policy that permutes dimensions one
 * transpose, and one broadcast.
 */
@FunctionalInterface
public interface BroadcastPolicy {
  /**
   * An operand in the view of a policy.
   *
   * @param name its name in messages
   * @param shape its shape, of static sizes
   * @param dimensionNames for each dimension its name, where it has one; see {@link XlaOp#named}
   */
  record Operand(
      String name, Shape.Array shape, ImmutableList<Optional<DimensionName>> dimensionNames) {
    /**
     * Returns an operand whose dimensions have no names.
     *
     * @param name its name in messages
     * @param shape its shape
     * @return the operand
     */
    public static Operand of(String name, Shape.Array shape) {
      return new Operand(name, shape, DimensionNames.none(shape.rank()));
    }

    /**
     * Returns the number of dimensions.
     *
     * @return the rank
     */
    public int rank() {
      return shape.rank();
    }

    /**
     * Returns the size of a dimension.
     *
     * @param dimension the dimension
     * @return the size
     */
    public long size(int dimension) {
      return shape.size(dimension);
    }
  }

  /**
   * The mapping of the dimensions of the operands to those of the result.
   *
   * @param sizes the sizes of the result
   * @param dimensions for each operand, for each of its dimensions, the dimension of the result
   *     that it becomes, or {@link #DROPPED}; an operand's size there is that of the result or 1
   */
  record Placement(Dims sizes, ImmutableList<Dims> dimensions) {
    /** Marks a dimension of size 1 that is not mapped to a dimension of the result. */
    public static final long DROPPED = -1;
  }

  /**
   * Maps the dimensions of operands to those of the result.
   *
   * @param operands one or more; for a policy that is not symmetric, the first is the one that
   *     determines the result: the left operand, on_true of a select, the clamped operand of a
   *     clamp
   * @return the sizes of the result and, in the order of the operands, their dimensions
   * @throws HloException if the operands are incompatible under this policy
   */
  Placement place(ImmutableList<Operand> operands);

  /**
   * Finds another valid alignment, where the alignment is guessed from the shapes and not given by
   * the user. It is called only if {@link XlaBuilder#onAmbiguity} has set a listener.
   *
   * @param operands operands that the policy has placed
   * @return a finding that draws both alignments; none if there is no other, or nothing is guessed
   */
  default Optional<HloException> ambiguity(ImmutableList<Operand> operands) {
    return Optional.empty();
  }
}
