package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * The Cholesky factor of symmetric or Hermitian positive definite matrices.
 *
 * <pre>
 *   lower          a = result * adjoint(result)       x 0 0      0 = zeros
 *   upper          a = adjoint(result) * result       x x 0      only x of a is read
 *                                                     x x x
 * </pre>
 *
 * <p>The last two dimensions are the matrix, the others are batch dimensions. Only the selected
 * triangle is read and written; the other triangle of the result is zero. Imaginary parts on the
 * diagonal are not read. A matrix that is not positive definite gives a result of NaN only; other
 * matrices of the batch are not affected.
 *
 * @param lower whether the lower triangle is used, else the upper
 */
public record Cholesky(boolean lower) implements Routine {
  @Override
  public String opcode() {
    return "cholesky";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array a = in.array(0, "a");
    ElementType type = a.elementType();
    require(
        type.isFloating() || type.isComplex(),
        "",
        "element type got %s, want float or complex",
        type);
    requireSquare(a, "cholesky C2", "cholesky C3");
    return a.withLayout(null);
  }

  static void requireSquare(Shape.Array a, String rankLabel, String sizeLabel) {
    int rank = a.rank();
    require(rank >= 2, rankLabel, "a got %s, want rank 2 at least", a);
    require(
        a.size(rank - 2) == a.size(rank - 1) || a.isUnbounded(rank - 2) || a.isUnbounded(rank - 1),
        sizeLabel,
        "a got %s, want the last two sizes equal",
        a);
  }
}
