package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * The k largest or k smallest elements along the last dimension: a tuple of values and s32 indices,
 * best first, and for equal values the lower index first.
 *
 * <p>Floats are in total order: -0 below 0, NaN above infinity.
 *
 * <pre>
 *   1 9 4 9   k=3, largest   -&gt;   9 9 4   and   1 3 2
 * </pre>
 *
 * @param k the number of elements
 * @param largest whether the largest ones, rather than the smallest
 * @param isStable whether equal values must keep their order; in hlo4j they always do
 */
public record Topk(long k, boolean largest, boolean isStable) implements Routine {
  /**
   * Creates an op that returns the largest or the smallest values, with no required order of equal
   * ones.
   *
   * @param k the number of elements
   * @param largest whether the largest ones, rather than the smallest
   */
  public Topk(long k, boolean largest) {
    this(k, largest, false);
  }

  @Override
  public String opcode() {
    return "topk";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    require(operand.rank() > 0, "topk T1", "operand got %s, want rank 1 at least", operand);
    require(
        !operand.elementType().isComplex(),
        "",
        "element type got %s, want one in an order",
        operand.elementType());
    int last = operand.rank() - 1;
    require(
        k >= 0 && (operand.isUnbounded(last) || k <= operand.size(last)),
        "topk T2",
        "k got %s, want one from 0 to the last size of %s",
        k,
        operand);
    Shape.Array values =
        operand.select(Dims.range(0, last)).append(Shape.of(operand.elementType(), k), Dims.of(0));
    return new Shape.Tuple(ImmutableList.of(values, values.withElementType(ElementType.S32)));
  }
}
