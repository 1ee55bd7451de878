package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireDimension;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * A general dot product: sums of products over contracting dimensions, for each index of the batch
 * dimensions.
 *
 * <pre>
 *   result[b, i, j] = sum over k of lhs[b, i, k] * rhs[b, k, j]
 *   lhs_batch_dims={0} lhs_contracting_dims={2} rhs_batch_dims={0} rhs_contracting_dims={1}
 * </pre>
 *
 * <p>The result has the batch dimensions first, then the free dimensions of lhs, then those of rhs.
 *
 * @param lhsBatchDims dimensions of lhs paired in order with {@code rhsBatchDims}
 * @param lhsContractingDims dimensions of lhs summed over
 * @param rhsBatchDims dimensions of rhs, as many as {@code lhsBatchDims} and of the same sizes
 * @param rhsContractingDims dimensions of rhs, as many as {@code lhsContractingDims}, same sizes
 * @param operandPrecision one for each operand, or any other list that XLA accepts; a hint that
 *     hlo4j does not need
 * @param algorithm the types to multiply and accumulate in, if the program prescribes them
 * @param preferredElementType the element type of the result; if empty, the operand type that holds
 *     more: complex before float before integer, then the larger range
 */
public record Dot(
    Dims lhsBatchDims,
    Dims lhsContractingDims,
    Dims rhsBatchDims,
    Dims rhsContractingDims,
    ImmutableList<Precision> operandPrecision,
    Optional<DotAlgorithm> algorithm,
    Optional<ElementType> preferredElementType)
    implements Contraction {
  /** The precision with which an operand is multiplied. */
  public enum Precision {
    /** As fast as can be. */
    DEFAULT,
    /** More exactly. */
    HIGH,
    /** As exactly as the type allows. hlo4j always does. */
    HIGHEST;

    /** Returns the HLO text, in lower case. */
    @Override
    public String toString() {
      return Ascii.toLowerCase(name());
    }
  }

  /**
   * Returns a dot of these dimensions, default precision, result of the operands' type.
   *
   * @param lhsBatchDims dimensions of lhs paired in order with {@code rhsBatchDims}
   * @param lhsContractingDims dimensions of lhs summed over
   * @param rhsBatchDims dimensions of rhs
   * @param rhsContractingDims dimensions of rhs summed over
   * @return the op
   */
  public static Dot general(
      Dims lhsBatchDims, Dims lhsContractingDims, Dims rhsBatchDims, Dims rhsContractingDims) {
    return new Dot(
        lhsBatchDims,
        lhsContractingDims,
        rhsBatchDims,
        rhsContractingDims,
        ImmutableList.of(),
        Optional.empty(),
        Optional.empty());
  }

  /**
   * Returns the dot of vectors and matrices: contracts the last dimension of lhs with the first of
   * rhs.
   *
   * @param lhsRank the rank of lhs, 1 or 2
   * @return the op
   */
  public static Dot matrix(int lhsRank) {
    return general(Dims.of(), Dims.of(lhsRank - 1L), Dims.of(), Dims.of(0));
  }

  /**
   * Returns the product of matrices, {@code [m, k] * [k, n]}.
   *
   * @return the op
   */
  public static Dot matmul() {
    return matrix(2);
  }

  /**
   * Returns the products of many matrices, {@code [..., m, k] * [..., k, n]}: the last two
   * dimensions are the matrix, the others are batch dimensions.
   *
   * @param rank the rank of lhs and rhs, 2 at least
   * @return the op
   * @throws HloException if the rank is below 2
   */
  public static Dot batchMatmul(int rank) {
    require(rank >= 2, "", "dot: batchMatmul: rank got %s, want at least 2", rank);
    Dims batch = Dims.range(0, rank - 2L);
    return general(batch, Dims.of(rank - 1L), batch, Dims.of(rank - 2L));
  }

  /**
   * Returns the same dot with a result of another element type.
   *
   * @param elementType the element type of the result
   * @return the op
   */
  public Dot withPreferredElementType(ElementType elementType) {
    requireNonNull(elementType, "elementType");
    return new Dot(
        lhsBatchDims,
        lhsContractingDims,
        rhsBatchDims,
        rhsContractingDims,
        operandPrecision,
        algorithm,
        Optional.of(elementType));
  }

  /**
   * Returns the same dot with a required algorithm.
   *
   * @param demanded the types to multiply and add with
   * @return the op
   */
  public Dot withAlgorithm(DotAlgorithm demanded) {
    requireNonNull(demanded, "demanded");
    return new Dot(
        lhsBatchDims,
        lhsContractingDims,
        rhsBatchDims,
        rhsContractingDims,
        operandPrecision,
        Optional.of(demanded),
        preferredElementType);
  }

  /**
   * Describes the mapping of dimensions in a formula and a drawing, which has a column for each
   * dimension of the product, with {@code dimension:size} of each array.
   *
   * <pre>
   *   result[b, i, j] = sum over k of lhs[b, i, k] * rhs[b, k, j]
   *             b    i    k    j
   *   lhs     0:8  1:2  2:3        f32[8,2,3]
   *   rhs     0:8       1:3  2:4   f32[8,3,4]
   *   result  0:8  1:2       2:4   f32[8,2,4]
   * </pre>
   *
   * @param lhs the shape of lhs
   * @param rhs the shape of rhs
   * @return the text, lines separated by line feeds
   * @throws HloException if the shapes do not suit the dot
   */
  public String explain(Shape.Array lhs, Shape.Array rhs) {
    requireNonNull(lhs, "lhs");
    requireNonNull(rhs, "rhs");
    return new DotDrawing(this, lhs, rhs, (Shape.Array) infer(lhs, rhs)).toString();
  }

  /**
   * Returns the free dimensions of lhs, which follow the batch dimensions in the result.
   *
   * @param rank the rank of lhs
   * @return their numbers, in order
   */
  public Dims lhsFreeDims(int rank) {
    return Dims.range(0, rank).without(lhsBatchDims.concat(lhsContractingDims));
  }

  /**
   * Returns the dimensions of rhs that stay in the result, last.
   *
   * @param rank the rank of rhs
   * @return their numbers, in order
   */
  public Dims rhsFreeDims(int rank) {
    return Dims.range(0, rank).without(rhsBatchDims.concat(rhsContractingDims));
  }

  @Override
  public String opcode() {
    return "dot";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(2);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array lhs = in.array(0, "lhs");
    Shape.Array rhs = in.array(1, "rhs");
    requireSuits(lhs, rhs);
    return resultShape(lhs, lhsFreeDims(lhs.rank()), rhs, rhsFreeDims(rhs.rank()));
  }

  /** Batch dimensions, then these of lhs, then these of rhs. */
  Shape.Array resultShape(Shape.Array lhs, Dims lhsFree, Shape.Array rhs, Dims rhsFree) {
    return lhs.withElementType(ProductType.of(lhs, rhs, preferredElementType))
        .select(lhsBatchDims.concat(lhsFree))
        .append(rhs, rhsFree);
  }

  void requireSuits(Shape.Array lhs, Shape.Array rhs) {
    requireCounts();
    requireDims("lhs", lhs, lhsBatchDims, "dot_general C5");
    requireDims("lhs", lhs, lhsContractingDims, "dot_general C6");
    requireDims("rhs", rhs, rhsBatchDims, "dot_general C7");
    requireDims("rhs", rhs, rhsContractingDims, "dot_general C8");
    requireDistinct("lhs", lhsBatchDims, lhsContractingDims, "dot_general C3");
    requireDistinct("rhs", rhsBatchDims, rhsContractingDims, "dot_general C4");
    requireSameSizes("batch", lhs, lhsBatchDims, rhs, rhsBatchDims, "dot_general C9");
    requireSameSizes(
        "contracting", lhs, lhsContractingDims, rhs, rhsContractingDims, "dot_general C10");
  }

  private void requireCounts() {
    require(
        lhsBatchDims.count() == rhsBatchDims.count(),
        "dot_general C1",
        "batch dimensions got %s of lhs and %s of rhs, want as many",
        lhsBatchDims,
        rhsBatchDims);
    require(
        lhsContractingDims.count() == rhsContractingDims.count(),
        "dot_general C2",
        "contracting dimensions got %s of lhs and %s of rhs, want as many",
        lhsContractingDims,
        rhsContractingDims);
  }

  private static void requireDims(String role, Shape.Array shape, Dims dimensions, String label) {
    for (long dimension : dimensions.toArray()) {
      requireDimension(
          dimension,
          shape.rank(),
          label,
          "%s dimension got %s, want one of %s",
          role,
          dimension,
          shape);
    }
  }

  private static void requireDistinct(String role, Dims batch, Dims contracting, String label) {
    require(
        batch.concat(contracting).isDistinct(),
        label,
        "%s got batch dimensions %s and contracting dimensions %s, want no dimension twice",
        role,
        batch,
        contracting);
  }

  private static void requireSameSizes(
      String what, Shape.Array lhs, Dims lhsDims, Shape.Array rhs, Dims rhsDims, String label) {
    for (int i = 0; i < lhsDims.count(); i++) {
      int l = lhsDims.getInt(i);
      int r = rhsDims.getInt(i);
      require(
          lhs.size(l) == rhs.size(r) || lhs.isUnbounded(l) || rhs.isUnbounded(r),
          label,
          "%s dimension %s of lhs %s has size %s, dimension %s of rhs %s has size %s, want equal",
          what,
          l,
          lhs,
          lhs.sizeText(l),
          r,
          rhs,
          rhs.sizeText(r));
    }
  }
}
