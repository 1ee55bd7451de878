package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireDimension;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * A dot in which one dimension of lhs, the ragged one, is split into consecutive groups, whose
 * sizes are given by the third operand.
 *
 * <pre>
 *   ragged dimension of lhs     lhs         rhs           group_sizes   result
 *   free: each group of rows    [b, m, k]   [g, b, k, n]  [g]           [b, m, n]
 *     has an rhs of its own
 *   contracting: a sum for      [b, m, k]   [b, k, n]     [g]           [g, b, m, n]
 *     each group
 *   batch: as the plain dot     [b, m, k]   [b, k, n]     [g]           [b, m, n]
 * </pre>
 *
 * <p>Indices after the last group give zeros, or are not summed. Group sizes may depend on the
 * indices p of the batch dimensions, and of the dimensions of the same kind before the ragged one:
 * {@code group_sizes[p..., g]}.
 *
 * @param lhsBatchDims dimensions of lhs paired in order with {@code rhsBatchDims}
 * @param lhsContractingDims dimensions of lhs summed over
 * @param rhsBatchDims dimensions of rhs, as many, of the same sizes
 * @param rhsContractingDims dimensions of rhs, as many, of the same sizes
 * @param lhsRaggedDims the single ragged dimension of lhs
 * @param rhsGroupDims the group dimension of rhs, if the ragged dimension is free
 * @param operandPrecision none, or one for each operand; a hint that hlo4j does not need
 * @param preferredElementType the element type of the result; if empty, the operand type that holds
 *     more: complex before float before integer, then the larger range
 */
public record RaggedDot(
    Dims lhsBatchDims,
    Dims lhsContractingDims,
    Dims rhsBatchDims,
    Dims rhsContractingDims,
    Dims lhsRaggedDims,
    Dims rhsGroupDims,
    ImmutableList<Dot.Precision> operandPrecision,
    Optional<ElementType> preferredElementType)
    implements Contraction {
  /** The kind of the ragged dimension of lhs. */
  public enum Mode {
    /** Neither batch nor contracting: groups of rows. */
    FREE,
    /** A contracting dimension: groups of summands. */
    CONTRACTING,
    /** A batch dimension. */
    BATCH
  }

  /**
   * Returns a dot whose ragged dimension is split into groups as in the table above.
   *
   * @param dot batch and contracting dimensions; its algorithm is not taken
   * @param lhsRaggedDim the ragged dimension of lhs
   * @return the op, for a contracting or batch dimension
   */
  public static RaggedDot of(Dot dot, int lhsRaggedDim) {
    return of(dot, lhsRaggedDim, Dims.of());
  }

  /**
   * Returns a dot whose rows come in groups, each with an rhs of its own.
   *
   * @param dot batch and contracting dimensions; its algorithm is not taken
   * @param lhsRaggedDim the ragged dimension of lhs, free in the dot
   * @param rhsGroupDim the dimension of rhs that counts groups
   * @return the op
   */
  public static RaggedDot of(Dot dot, int lhsRaggedDim, int rhsGroupDim) {
    return of(dot, lhsRaggedDim, Dims.of(rhsGroupDim));
  }

  private static RaggedDot of(Dot dot, int lhsRaggedDim, Dims rhsGroupDims) {
    requireNonNull(dot, "dot");
    return new RaggedDot(
        dot.lhsBatchDims(),
        dot.lhsContractingDims(),
        dot.rhsBatchDims(),
        dot.rhsContractingDims(),
        Dims.of(lhsRaggedDim),
        rhsGroupDims,
        dot.operandPrecision(),
        dot.preferredElementType());
  }

  /**
   * Returns the dot without its groups.
   *
   * @return batch and contracting dimensions
   */
  public Dot dot() {
    return new Dot(
        lhsBatchDims,
        lhsContractingDims,
        rhsBatchDims,
        rhsContractingDims,
        operandPrecision,
        Optional.empty(),
        preferredElementType);
  }

  /**
   * Returns the kind of the ragged dimension of lhs.
   *
   * @return the mode
   */
  public Mode mode() {
    return lhsBatchDims.contains(ragged())
        ? Mode.BATCH
        : lhsContractingDims.contains(ragged()) ? Mode.CONTRACTING : Mode.FREE;
  }

  private long ragged() {
    return lhsRaggedDims.get(0);
  }

  /**
   * Returns the dimensions of lhs among which the ragged one is: all of its mode, in order.
   *
   * @param rank the rank of lhs
   * @return their numbers
   */
  public Dims family(int rank) {
    return switch (mode()) {
      case FREE -> dot().lhsFreeDims(rank);
      case CONTRACTING -> lhsContractingDims;
      case BATCH -> lhsBatchDims;
    };
  }

  /**
   * Returns the dimensions of rhs that stay in the result, last.
   *
   * @param rank the rank of rhs
   * @return their numbers, in order
   */
  public Dims rhsFreeDims(int rank) {
    Dims gone = rhsBatchDims.concat(rhsContractingDims).concat(rhsGroupDims);
    return Dims.range(0, rank).without(gone);
  }

  @Override
  public String opcode() {
    return "ragged-dot";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(3);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array lhs = in.array(0, "lhs");
    Shape.Array rhs = in.array(1, "rhs");
    Shape.Array groupSizes = in.array(2, "group_sizes");
    Dot dot = dot();
    dot.requireSuits(lhs, rhs);
    requireRagged(lhs);
    requireGroups(rhs, groupSizes);
    requireGroupSizes(lhs, groupSizes);
    Shape.Array result =
        dot.resultShape(lhs, dot.lhsFreeDims(lhs.rank()), rhs, rhsFreeDims(rhs.rank()));
    return mode() != Mode.CONTRACTING
        ? result
        : groupSizes
            .withElementType(result.elementType())
            .select(Dims.of(groupSizes.rank() - 1L))
            .append(result, Dims.range(0, result.rank()));
  }

  private void requireRagged(Shape.Array lhs) {
    require(
        lhsRaggedDims.count() == 1,
        "ragged_dot R1",
        "lhs_ragged_dims got %s, want exactly one",
        lhsRaggedDims);
    requireDimension(
        ragged(),
        lhs.rank(),
        "ragged_dot R2",
        "lhs_ragged_dims got %s, want a dimension of lhs %s",
        lhsRaggedDims,
        lhs);
  }

  private void requireGroups(Shape.Array rhs, Shape.Array groupSizes) {
    require(
        groupSizes.elementType().isIntegral() && groupSizes.rank() >= 1,
        "ragged_dot R3",
        "group_sizes got %s, want integers of rank 1 at least",
        groupSizes);
    int wanted = mode() == Mode.FREE ? 1 : 0;
    require(
        rhsGroupDims.count() == wanted,
        "ragged_dot R4",
        "rhs_group_dims got %s, want %s where the ragged dimension %s of lhs is %s",
        rhsGroupDims,
        wanted == 1 ? "exactly one" : "none",
        ragged(),
        mode());
    for (long group : rhsGroupDims.toArray()) {
      require(
          group >= 0
              && group < rhs.rank()
              && !rhsBatchDims.contains(group)
              && !rhsContractingDims.contains(group),
          "ragged_dot R5",
          "rhs_group_dims got %s, want a dimension of rhs %s neither batch nor contracting",
          rhsGroupDims,
          rhs);
      int last = groupSizes.rank() - 1;
      require(
          rhs.size((int) group) == groupSizes.size(last)
              || rhs.isUnbounded((int) group)
              || groupSizes.isUnbounded(last),
          "ragged_dot R6",
          "group dimension %s of rhs %s got size %s, want %s groups as in group_sizes %s",
          group,
          rhs,
          rhs.sizeText((int) group),
          groupSizes.sizeText(last),
          groupSizes);
    }
  }

  private void requireGroupSizes(Shape.Array lhs, Shape.Array groupSizes) {
    Dims family = family(lhs.rank());
    Dims before = family.subList(0, family.indexOf(ragged()));
    Dims prefix = mode() == Mode.BATCH ? before : lhsBatchDims.concat(before);
    int last = groupSizes.rank() - 1;
    require(
        last == 0 || groupSizes.sizes().subList(0, last).equals(lhs.sizes().at(prefix)),
        "ragged_dot R7",
        "group_sizes got %s, want rank 1, or sizes %s of dimensions %s of lhs %s before the last",
        groupSizes,
        lhs.sizes().at(prefix),
        prefix,
        lhs);
  }
}
