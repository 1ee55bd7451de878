package org.hlo4j.builder.lib.linalg;

import static org.hlo4j.builder.XlaOp.broadcastDimensions;
import static org.hlo4j.builder.lib.common.Checks.require;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Loops;
import org.hlo4j.builder.lib.common.Checks;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * Eigenvalues and eigenvectors of symmetric and hermitian matrices, by Jacobi's method in parallel
 * order (Golub and Van Loan, Matrix Computations, 8.5).
 *
 * <p>XLA emits a custom call {@code Eigh}; here the algorithm itself is emitted, in plain HLO.
 * Element types are f32, f64, c64 and c128.
 */
public final class SelfAdjointEig {
  private static final int SWEEPS = 15;

  private SelfAdjointEig() {}

  /**
   * Eigenvectors and eigenvalues: {@code a * v = v * diagonal(w)}.
   *
   * @param v {@code [..., n, n]}: the eigenvectors, as orthonormal columns
   * @param w {@code [..., n]}, real: the eigenvalues
   * @param converged pred {@code [...]}: whether what is left beside the diagonal is within the
   *     tolerance; false for NaN
   */
  public record Result(XlaOp v, XlaOp w, XlaOp converged) {}

  /**
   * Decomposes matrices to the full precision of their type, from the lower triangle, with the
   * smallest eigenvalue first. XLA's default tolerance is 1e-5.
   *
   * @param a square matrices {@code [..., n, n]}
   * @return eigenvectors and eigenvalues
   * @throws HloException if a is not square, or of another type
   */
  public static Result selfAdjointEig(XlaOp a) {
    Shape.Array shape = Checks.squareMatrices("selfAdjointEig", "a", a);
    return selfAdjointEig(a, true, SWEEPS, epsilon(shape.elementType()), true);
  }

  /** Returns the distance from 1 to the next number. */
  static double epsilon(ElementType type) {
    return Math.scalb(1.0, -type.componentType().mantissaBits());
  }

  /**
   * Decomposes matrices.
   *
   * @param a square matrices {@code [..., n, n]}
   * @param lower whether to read the lower triangle
   * @param maxIter the largest number of sweeps over all pairs of columns
   * @param tol stops when what is left beside the diagonal, as a Frobenius norm, is at most that
   *     part of the matrix
   * @param sortEigenvalues whether the smallest comes first; else in any order
   * @return eigenvectors and eigenvalues
   * @throws HloException if a is not square or of another type, or a number is negative
   */
  public static Result selfAdjointEig(
      XlaOp a, boolean lower, long maxIter, double tol, boolean sortEigenvalues) {
    Shape.Array shape = Checks.squareMatrices("selfAdjointEig", "a", a);
    requireStop("selfAdjointEig", maxIter, tol);
    Dims batch = Checks.batch(shape, 2);
    XlaOp flat = Stack.flatten(Matrix.symmetrize(a, lower), 2);
    Result result = Checks.rows(shape) == 0 ? empty(flat) : decomposed(flat, maxIter, tol);
    List<XlaOp> ordered =
        sortEigenvalues ? sorted(result.v, result.w, true) : List.of(result.v, result.w);
    return new Result(
        Stack.restore(ordered.get(0), batch),
        Stack.restore(ordered.get(1), batch),
        Stack.restore(result.converged, batch));
  }

  static void requireStop(String function, long maxIter, double tol) {
    require(maxIter >= 0, "", "%s: maxIter got %s, want at least 0", function, maxIter);
    require(tol >= 0, "", "%s: tolerance got %s, want at least 0", function, tol);
  }

  private static Result empty(XlaOp flat) {
    long matrices = Stack.size(flat, 0);
    XlaOp none = Stack.real(flat).reshape(matrices, 0);
    return new Result(flat, none, flat.builder().constant(true).broadcast(matrices));
  }

  private static Result decomposed(XlaOp a, long maxIter, double tol) {
    long n = Stack.size(a, 1);
    XlaOp scale = Stack.nonzero(Stack.greatest(a, 1, 2));
    XlaOp scaled = a.div(Stack.as(scale, a), broadcastDimensions(0));
    XlaOp start = Rotation.even(Rotation.even(scaled, 1), 2);
    long even = Stack.size(start, 1);
    XlaBuilder builder = a.builder();
    List<XlaOp> last =
        Loops.whileLoopHelper(
            builder,
            (inner, values) ->
                values
                    .get(0)
                    .lt(inner.constant(ElementType.S64, maxIter))
                    .and(Stack.any(beside(values.get(1)).gt(allowed(values.get(1), tol)), 0)),
            (inner, values) -> swept(inner, values),
            List.of(
                builder.constant(ElementType.S64, 0), start, Stack.identity(start, even, even)));
    XlaOp w = Stack.real(Matrix.getMatrixDiagonal(last.get(1), 0));
    return new Result(
        last.get(2).slice(Dims.of(0, 0, 0), Dims.of(Stack.size(a, 0), n, n)),
        w.sliceInDim(0, n, 1, 1).mul(scale, broadcastDimensions(0)),
        beside(last.get(1)).le(allowed(last.get(1), tol)));
  }

  /** Returns the size of the off-diagonal part of each matrix. */
  private static XlaOp beside(XlaOp a) {
    XlaOp squares = Stack.squares(a);
    XlaOp beside = Matrix.getDiagonalMask(a, 0).select(squares.zerosLike(), squares);
    return Stack.sum(beside, 1, 2).sqrt();
  }

  /** Returns the size that the off-diagonal part of each matrix may have in the end. */
  private static XlaOp allowed(XlaOp a, double tol) {
    XlaOp whole = Stack.sum(Stack.squares(a), 1, 2).sqrt();
    return whole.mul(whole.fullLike(tol));
  }

  /** Runs one sweep: each column is paired with every other one once. */
  private static List<XlaOp> swept(XlaBuilder body, List<XlaOp> values) {
    long rounds = Stack.size(values.get(1), 1) - 1;
    List<XlaOp> next =
        Loops.forEachIndex(
            body,
            rounds,
            ElementType.S32,
            (inner, i, v) -> rotated(v.get(0), v.get(1)),
            values.subList(1, 3));
    return List.of(values.get(0).add(body.constant(ElementType.S64, 1)), next.get(0), next.get(1));
  }

  private static List<XlaOp> rotated(XlaOp a, XlaOp v) {
    int h = (int) (Stack.size(a, 1) / 2);
    XlaOp diagonal = Stack.real(Matrix.getMatrixDiagonal(a, 0));
    XlaOp p = Rotation.half(diagonal, 1, 0);
    XlaOp q = Rotation.half(diagonal, 1, 1);
    Rotation rotation = Rotation.of(p, q, Matrix.getMatrixDiagonal(a, h));
    XlaOp shifted =
        a.builder().concatInDim(List.of(p.sub(rotation.shift()), q.add(rotation.shift())), 1);
    XlaOp turned = rotation.ofColumns(rotation.ofRows(a));
    XlaOp next = withExactRotatedPairs(turned, Stack.as(shifted, a), h);
    return List.of(
        Rotation.nextRoundRobinPairs(Rotation.nextRoundRobinPairs(next, 1), 2),
        Rotation.nextRoundRobinPairs(rotation.ofColumns(v), 2));
  }

  /**
   * Sets the elements of the rotated pairs to their exact values, without rounding errors, so that
   * the sweeps converge: zeros off the diagonal, and the given diagonal.
   */
  private static XlaOp withExactRotatedPairs(XlaOp a, XlaOp diagonal, int h) {
    XlaOp zeros = Rotation.half(diagonal, 1, 0).zerosLike();
    XlaOp upper = Matrix.setMatrixDiagonal(a, zeros, h);
    XlaOp both = Matrix.setMatrixDiagonal(upper, zeros, -h);
    return Matrix.setMatrixDiagonal(both, diagonal, 0);
  }

  /** Returns columns and their values, sorted by value. */
  static List<XlaOp> sorted(XlaOp v, XlaOp w, boolean ascending) {
    XlaOp keys = Stack.alongColumns(w, v);
    XlaOp columns =
        v.builder()
            .sort(List.of(keys, v), (body, p) -> before(p.get(0), p.get(1), ascending), 2, true)
            .getTupleElement(1);
    return List.of(columns, w.sort((x, y) -> before(x, y, ascending), 1));
  }

  private static XlaOp before(XlaOp x, XlaOp y, boolean ascending) {
    return ascending ? x.ltTotalOrder(y) : x.gtTotalOrder(y);
  }
}
