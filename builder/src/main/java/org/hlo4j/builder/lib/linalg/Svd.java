package org.hlo4j.builder.lib.linalg;

import static org.hlo4j.builder.XlaOp.broadcastDimensions;

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
 * The singular value decomposition by the one-sided Jacobi method (Golub and Van Loan, Matrix
 * Computations, 8.6): columns are rotated in pairs until all are orthogonal; their norms are the
 * singular values, and Householder reflections complete their directions to an orthonormal basis.
 *
 * <p>Element types are f32, f64, c64 and c128.
 */
public final class Svd {
  private static final int SWEEPS = 100;

  private Svd() {}

  /**
   * A decomposition: {@code a = u * diagonal(d) * adjoint(v)}.
   *
   * @param u {@code [..., m, m]}: the left singular vectors, as orthonormal columns
   * @param d {@code [..., min(m, n)]}, real: the singular values, the largest first
   * @param v {@code [..., n, n]}: the right singular vectors, as orthonormal columns
   * @param converged pred {@code [...]}: whether the last sweep found the columns orthogonal; false
   *     for NaN
   */
  public record Result(XlaOp u, XlaOp d, XlaOp v, XlaOp converged) {}

  /**
   * Decomposes matrices to the full precision of their type. XLA's default epsilon is 1e-6.
   *
   * @param a matrices {@code [..., m, n]}
   * @return singular vectors and values
   * @throws HloException if a holds no matrices of a float or complex type
   */
  public static Result svd(XlaOp a) {
    Shape.Array shape = Checks.numberMatrices("svd", "a", a);
    long longest = Math.max(Checks.rows(shape), Checks.columns(shape));
    // The rounding error of a product of two columns is their size times the type's epsilon.
    return svd(a, SWEEPS, SelfAdjointEig.epsilon(shape.elementType()) * Math.max(1, longest));
  }

  /**
   * Decomposes matrices.
   *
   * @param a matrices {@code [..., m, n]}
   * @param maxIter the largest number of sweeps over all pairs of columns
   * @param epsilon stops when the cosine between any two columns is at most that
   * @return singular vectors and values
   * @throws HloException if a holds no matrices of a float or complex type, or a number is negative
   */
  public static Result svd(XlaOp a, long maxIter, double epsilon) {
    Shape.Array shape = Checks.numberMatrices("svd", "a", a);
    SelfAdjointEig.requireStop("svd", maxIter, epsilon);
    Dims batch = Checks.batch(shape, 2);
    XlaOp flat = Stack.flatten(a, 2);
    boolean wide = Checks.rows(shape) < Checks.columns(shape);
    Result tall = tall(wide ? adjoint(flat) : flat, maxIter, epsilon);
    return new Result(
        Stack.restore(wide ? tall.v : tall.u, batch),
        Stack.restore(tall.d, batch),
        Stack.restore(wide ? tall.u : tall.v, batch),
        Stack.restore(tall.converged, batch));
  }

  private static XlaOp adjoint(XlaOp a) {
    return Stack.conjugate(Matrix.transposeInMinorDims(a));
  }

  private static Result tall(XlaOp a, long maxIter, double epsilon) {
    long m = Stack.size(a, 1);
    long n = Stack.size(a, 2);
    if (n == 0) {
      XlaOp none = Stack.real(a).reshape(Stack.size(a, 0), 0);
      return new Result(Stack.identity(a, m, m), none, Stack.identity(a, 0, 0), all(a, true));
    }
    XlaOp scale = Stack.nonzero(Stack.greatest(a, 1, 2));
    XlaOp scaled = a.div(Stack.as(scale, a), broadcastDimensions(0));
    List<XlaOp> last = orthogonalized(scaled, maxIter, epsilon);
    XlaOp columns = last.get(1).sliceInDim(0, n, 1, 2);
    XlaOp rotations = last.get(2).slice(Dims.of(0, 0, 0), Dims.of(Stack.size(a, 0), n, n));
    return completed(columns, rotations, scale, last.get(0).not());
  }

  private static XlaOp all(XlaOp matrices, boolean value) {
    return matrices.builder().constant(value).broadcast(Stack.size(matrices, 0));
  }

  /**
   * Returns whether the last sweep rotated any columns, for each matrix; {@code a * v} with
   * orthogonal columns; and v.
   */
  private static List<XlaOp> orthogonalized(XlaOp a, long maxIter, double epsilon) {
    XlaBuilder builder = a.builder();
    XlaOp start = Rotation.even(a, 2);
    long even = Stack.size(start, 2);
    List<XlaOp> last =
        Loops.whileLoopHelper(
            builder,
            (inner, values) ->
                values
                    .get(0)
                    .lt(inner.constant(ElementType.S64, maxIter))
                    .and(Stack.any(values.get(1), 0)),
            (inner, values) -> swept(inner, values, epsilon),
            List.of(
                builder.constant(ElementType.S64, 0),
                all(start, true),
                start,
                Stack.identity(start, even, even)));
    return last.subList(1, 4);
  }

  /**
   * Runs one sweep: each column is paired with every other one once. Carries whether any pair of a
   * matrix was rotated.
   */
  private static List<XlaOp> swept(XlaBuilder body, List<XlaOp> values, double epsilon) {
    XlaOp count = values.get(0).add(body.constant(ElementType.S64, 1));
    List<XlaOp> next =
        Loops.forEachIndex(
            body,
            Stack.size(values.get(2), 2) - 1,
            ElementType.S32,
            (inner, i, v) -> rotated(v.get(0), v.get(1), v.get(2), epsilon),
            List.of(all(values.get(2), false), values.get(2), values.get(3)));
    return List.of(count, next.get(0), next.get(1), next.get(2));
  }

  private static List<XlaOp> rotated(XlaOp anyRotated, XlaOp a, XlaOp v, double epsilon) {
    XlaOp left = Rotation.half(a, 2, 0);
    XlaOp right = Rotation.half(a, 2, 1);
    XlaOp p = Stack.sum(Stack.squares(left), 1);
    XlaOp q = Stack.sum(Stack.squares(right), 1);
    XlaOp r = Stack.sum(Stack.conjugate(left).mul(right), 1);
    // products below this, of a matrix of size 1, lack digits, and rotations would never end
    XlaOp least = p.fullLike(Rotation.negligible(Stack.type(p)));
    XlaOp most = p.max(least).sqrt().mul(q.max(least).sqrt()).mul(p.fullLike(epsilon));
    XlaOp rotates = r.abs().gt(most.max(least));
    Rotation rotation = Rotation.of(p, q, rotates.select(r, r.zerosLike()));
    return List.of(
        anyRotated.or(Stack.any(rotates, 1)),
        Rotation.nextRoundRobinPairs(rotation.ofColumns(a), 2),
        Rotation.nextRoundRobinPairs(rotation.ofColumns(v), 2));
  }

  /**
   * Sorts the columns by norm, the largest first, and completes their directions to a basis by
   * reflections.
   */
  private static Result completed(
      XlaOp columns, XlaOp rotations, XlaOp scale, XlaOp areOrthogonal) {
    XlaOp lengths = Stack.sum(Stack.squares(columns), 1).sqrt();
    List<XlaOp> byLength = SelfAdjointEig.sorted(columns, lengths, false);
    XlaOp v = SelfAdjointEig.sorted(rotations, lengths, false).get(0);
    Qr.Explicit basis = Qr.qrExplicit(byLength.get(0), true);
    XlaOp diagonal = Stack.real(Matrix.getMatrixDiagonal(basis.r(), 0));
    // A column is its direction times a diagonal element that may be negative.
    XlaOp signs =
        diagonal.ge(diagonal.zerosLike()).select(diagonal.fullLike(1), diagonal.fullLike(-1));
    XlaOp one = diagonal.builder().full(diagonal.arrayShape().withSizes(Dims.of()), 1);
    XlaOp all = signs.padInDim(one, 1, 0, Stack.size(basis.q(), 2) - Stack.size(signs, 1));
    XlaOp u = basis.q().mul(Stack.as(all, basis.q()), broadcastDimensions(0, 2));
    XlaOp isNaN = Stack.any(lengths.ne(lengths), 1);
    return new Result(
        u, byLength.get(1).mul(scale, broadcastDimensions(0)), v, areOrthogonal.and(isNaN.not()));
  }
}
