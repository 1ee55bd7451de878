package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * A dot of operands with block scales: {@code (lhs * lhs_scale) · (rhs * rhs_scale)}, each scale is
 * broadcast to the block of elements that it applies to.
 *
 * <pre>
 *   lhs f8e4m3fn[2,6]      lhs_scale f8e8m0fnu[2,2]
 *     a b c d e f             s t          s a  s b  s c  t d  t e  t f
 *     g h i j k l             u v          u g  u h  u i  v j  v k  v l
 * </pre>
 *
 * <p>Operands are lhs, rhs, lhs_scale, rhs_scale. A scalar scale applies to all elements; at most
 * one of the scales may be a scalar.
 *
 * @param lhsBatchDims dimensions of lhs paired in order with {@code rhsBatchDims}
 * @param lhsContractingDims the single contracting dimension of lhs
 * @param rhsBatchDims dimensions of rhs, as many, of the same sizes
 * @param rhsContractingDims the single contracting dimension of rhs, of the same size
 * @param operandPrecision none, or one for each operand; a hint that hlo4j does not need
 * @param algorithm the types to multiply and accumulate in, if the program prescribes them
 * @param preferredElementType the element type of the result; if empty, the operand type that holds
 *     more: complex before float before integer, then the larger range
 */
public record ScaledDot(
    Dims lhsBatchDims,
    Dims lhsContractingDims,
    Dims rhsBatchDims,
    Dims rhsContractingDims,
    ImmutableList<Dot.Precision> operandPrecision,
    Optional<DotAlgorithm> algorithm,
    Optional<ElementType> preferredElementType)
    implements Contraction {
  /**
   * Returns a dot with scales.
   *
   * @param dot its dimensions and element type
   * @return the op
   */
  public static ScaledDot of(Dot dot) {
    requireNonNull(dot, "dot");
    return new ScaledDot(
        dot.lhsBatchDims(),
        dot.lhsContractingDims(),
        dot.rhsBatchDims(),
        dot.rhsContractingDims(),
        dot.operandPrecision(),
        dot.algorithm(),
        dot.preferredElementType());
  }

  /**
   * Returns the dot of the operands once they are scaled.
   *
   * @return its dimensions and element type
   */
  public Dot dot() {
    return new Dot(
        lhsBatchDims,
        lhsContractingDims,
        rhsBatchDims,
        rhsContractingDims,
        operandPrecision,
        algorithm,
        preferredElementType);
  }

  @Override
  public String opcode() {
    return "scaled-dot";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(4);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array lhs = in.array(0, "lhs");
    Shape.Array rhs = in.array(1, "rhs");
    Shape.Array lhsScale = in.array(2, "lhs_scale");
    Shape.Array rhsScale = in.array(3, "rhs_scale");
    require(
        lhsContractingDims.count() == 1 && rhsContractingDims.count() == 1,
        "scaled_dot S1",
        "contracting dimensions got %s of lhs and %s of rhs, want one each",
        lhsContractingDims,
        rhsContractingDims);
    require(
        !lhsScale.isScalar() || !rhsScale.isScalar(),
        "scaled_dot S2",
        "got scalars for both scales, want at least one for blocks");
    requireScale("lhs", lhs, lhsScale);
    requireScale("rhs", rhs, rhsScale);
    return dot().resultShape(in);
  }

  private static void requireScale(String role, Shape.Array operand, Shape.Array scale) {
    require(
        operand.elementType().isFloating() && scale.elementType().isFloating(),
        "scaled_dot S3",
        "%s got %s and its scale %s, want floats",
        role,
        operand,
        scale);
    if (scale.isScalar()) {
      return;
    }
    require(
        scale.rank() == operand.rank(),
        "scaled_dot S4",
        "scale of %s got %s, want the rank %s of %s, or a scalar",
        role,
        scale,
        operand.rank(),
        operand);
    for (int i = 0; i < scale.rank(); i++) {
      requireDivides(role, operand, scale, i);
    }
  }

  private static void requireDivides(
      String role, Shape.Array operand, Shape.Array scale, int dimension) {
    long blocks = scale.size(dimension);
    long size = operand.size(dimension);
    require(
        !operand.isDynamic(dimension) && !scale.isDynamic(dimension),
        "scaled_dot S5",
        "%s got %s and its scale %s, want static sizes",
        role,
        operand,
        scale);
    require(
        blocks == 0 ? size == 0 : size % blocks == 0,
        "scaled_dot S5",
        "scale of %s %s got %s, want each size to divide the operand's; dimension %s does not",
        role,
        operand,
        scale,
        dimension);
  }
}
