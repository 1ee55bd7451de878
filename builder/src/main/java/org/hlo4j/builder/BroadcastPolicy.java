package org.hlo4j.builder;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * A rule by which operands of different shapes are brought to one shape, given to one op ({@code
 * x.add(v, numpy())}) or to a builder as its default ({@code builder.defaultBroadcast(numpy())}).
 *
 * <p>The policies of NumPy, PaddlePaddle and OpenVINO are values made by {@code
 * org.hlo4j.builder.broadcast.BroadcastPolicies}. A policy only says where dimensions go. What
 * comes of it is explicit HLO: for each operand that does not fit yet at most one reshape (it drops
 * the dimensions of size 1 that are stretched), for a policy that permutes dimensions one
 * transpose, and one broadcast.
 */
@FunctionalInterface
public interface BroadcastPolicy {
  /**
   * An operand as a policy sees it.
   *
   * @param name what messages call it
   * @param shape its shape, of static sizes
   * @param dimensionNames for each dimension its name, where it has one; see {@link XlaOp#named}
   */
  record Operand(
      String name, Shape.Array shape, ImmutableList<Optional<DimensionName>> dimensionNames) {
    /**
     * An operand whose dimensions have no names.
     *
     * @param name what messages call it
     * @param shape its shape
     * @return the operand
     */
    public static Operand of(String name, Shape.Array shape) {
      return new Operand(name, shape, DimensionNames.none(shape.rank()));
    }

    /**
     * How many dimensions it has.
     *
     * @return the rank
     */
    public int rank() {
      return shape.rank();
    }

    /**
     * The size of one of its dimensions.
     *
     * @param dimension which one
     * @return the size
     */
    public long size(int dimension) {
      return shape.size(dimension);
    }
  }

  /**
   * Where the dimensions of the operands go.
   *
   * @param sizes the sizes of the result
   * @param dimensions for each operand, for each of its dimensions, the dimension of the result
   *     that it becomes, or {@link #DROPPED}; an operand's size there is that of the result or 1
   */
  record Placement(Dims sizes, ImmutableList<Dims> dimensions) {
    /** Stands for a dimension of size 1 that becomes none of the result's. */
    public static final long DROPPED = -1;
  }

  /**
   * Where the dimensions of operands go.
   *
   * @param operands one or more; the first is the one whose side counts, if the policy knows sides:
   *     the left operand, of a select on_true, of a clamp what is clamped
   * @return the sizes of the result and, in the order of the operands, their dimensions
   * @throws HloException if the operands do not go together under this policy
   */
  Placement place(ImmutableList<Operand> operands);

  /**
   * What else would fit as well, where the places are guessed from the shapes and not said by the
   * user. Asked for only where {@link XlaBuilder#onAmbiguity} wants to know.
   *
   * @param operands operands that the policy has placed
   * @return a finding that draws both alignments; none if there is no other, or nothing is guessed
   */
  default Optional<HloException> ambiguity(ImmutableList<Operand> operands) {
    return Optional.empty();
  }
}
