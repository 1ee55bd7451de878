package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Solves linear equations with a triangular matrix.
 *
 * <pre>
 *   left_side    op(a) * x = b     a [..., n, n]   b and x [..., n, m]
 *   else         x * op(a) = b     a [..., n, n]   b and x [..., m, n]
 * </pre>
 *
 * <p>The last two dimensions are the matrix, the others are batch dimensions. Only the selected
 * triangle is read, and for a unit triangle the diagonal is not read either. A division by a zero
 * on the diagonal follows floating-point arithmetic.
 *
 * @param leftSide whether a is on the left of x
 * @param lower whether the lower triangle of a, before it is transposed, is used, else the upper
 * @param unitDiagonal whether the diagonal of a is assumed to be ones
 * @param transposeA the definition of op(a)
 */
public record TriangularSolve(
    boolean leftSide, boolean lower, boolean unitDiagonal, TransposeA transposeA)
    implements Routine {
  /** The operation that is applied to a. */
  public enum TransposeA {
    /** The identity: op(a) = a. */
    NO_TRANSPOSE,
    /** Rows become columns. */
    TRANSPOSE,
    /** Rows become columns, and complex numbers their conjugates. */
    ADJOINT
  }

  /**
   * Solves {@code a * x = b}.
   *
   * @param lower whether a is its lower triangle, else its upper
   * @return the op
   */
  public static TriangularSolve left(boolean lower) {
    return new TriangularSolve(true, lower, false, TransposeA.NO_TRANSPOSE);
  }

  /**
   * Solves {@code x * a = b}.
   *
   * @param lower whether a is its lower triangle, else its upper
   * @return the op
   */
  public static TriangularSolve right(boolean lower) {
    return new TriangularSolve(false, lower, false, TransposeA.NO_TRANSPOSE);
  }

  /**
   * Returns the same with ones for the diagonal of a.
   *
   * @return the op
   */
  public TriangularSolve withUnitDiagonal() {
    return new TriangularSolve(leftSide, lower, true, transposeA);
  }

  /**
   * Returns the same with a transposed first.
   *
   * @param transposition how
   * @return the op
   */
  public TriangularSolve withTransposeA(TransposeA transposition) {
    return new TriangularSolve(leftSide, lower, unitDiagonal, transposition);
  }

  @Override
  public String opcode() {
    return "triangular-solve";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(2);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array a = in.array(0, "a");
    Shape.Array b = in.array(1, "b");
    ElementType type = a.elementType();
    require(
        type.isFloating() || type.isComplex(),
        "",
        "element type got %s, want float or complex",
        type);
    require(
        type == b.elementType(),
        "triangular_solve C1",
        "element types of a and b got %s and %s, want the same",
        type,
        b.elementType());
    Cholesky.requireSquare(a, "triangular_solve C2", "triangular_solve C3");
    require(
        a.rank() == b.rank(),
        "triangular_solve C2",
        "ranks of a %s and b %s got %s and %s, want the same",
        a,
        b,
        a.rank(),
        b.rank());
    for (int i = 0; i < a.rank() - 2; i++) {
      requireSame(a, b, i, "batch");
    }
    requireSame(
        a, b, leftSide ? a.rank() - 2 : a.rank() - 1, leftSide ? "left_side" : "right side");
    return b.withLayout(null);
  }

  private static void requireSame(Shape.Array a, Shape.Array b, int dimension, String what) {
    require(
        a.size(dimension) == b.size(dimension)
            || a.isUnbounded(dimension)
            || b.isUnbounded(dimension),
        "triangular_solve C3",
        "%s: size of dimension %s of b %s got %s, want %s as of a %s",
        what,
        dimension,
        b,
        b.sizeText(dimension),
        a.sizeText(dimension),
        a);
  }
}
