package org.hlo4j.builder.lib.linalg;

import static org.hlo4j.builder.XlaOp.broadcastDimensions;
import static org.hlo4j.builder.lib.common.Checks.require;

import java.util.Arrays;
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
 * Tridiagonal matrices: the solution of linear equations, and products.
 *
 * <pre>
 *   m0 u0  .  .
 *   l1 m1 u1  .      row i of the matrix has l[i], m[i] and u[i];
 *    . l2 m2 u2      the first of l and the last of u are ignored
 *    .  . l3 m3
 * </pre>
 *
 * <p>Element types are f32, f64, c64 and c128.
 */
public final class Tridiagonal {
  private Tridiagonal() {}

  /** The algorithms that solve the equations. */
  public enum SolverAlgorithm {
    /** The Thomas algorithm: elimination from the first row to the last, without row exchanges. */
    THOMAS,
    /**
     * Elimination with partial pivoting: adjacent rows are exchanged so that the divisor is the
     * larger element.
     */
    PARTIAL_PIVOTING
  }

  /** The carried values of the elimination: each {@code [b, n]}, the last {@code [b, n, k]}. */
  private record Rows(XlaOp main, XlaOp upper, XlaOp second, XlaOp rhs) {
    static Rows of(List<XlaOp> values) {
      return new Rows(values.get(0), values.get(1), values.get(2), values.get(3));
    }
  }

  /**
   * Solves equations whose matrix has these diagonals.
   *
   * @param algo the algorithm
   * @param lowerDiagonal {@code [..., 1, n]}
   * @param mainDiagonal {@code [..., 1, n]}
   * @param upperDiagonal {@code [..., 1, n]}
   * @param rhs the right sides, as columns {@code [..., n, k]}
   * @return the op, the solutions, of the shape of rhs
   * @throws HloException if shapes are incompatible
   */
  public static XlaOp tridiagonalSolver(
      SolverAlgorithm algo,
      XlaOp lowerDiagonal,
      XlaOp mainDiagonal,
      XlaOp upperDiagonal,
      XlaOp rhs) {
    require(algo != null, "", "tridiagonalSolver: algorithm is null");
    List<XlaOp> diagonals = Arrays.asList(lowerDiagonal, mainDiagonal, upperDiagonal);
    Shape.Array shape = requireSystem("tridiagonalSolver", diagonals, rhs);
    if (Checks.rows(shape) == 0) {
      return rhs;
    }
    XlaOp solution =
        solved(
            algo == SolverAlgorithm.PARTIAL_PIVOTING,
            vectors(lowerDiagonal),
            vectors(mainDiagonal),
            vectors(upperDiagonal),
            Stack.flatten(rhs, 2));
    return Stack.restore(solution, Checks.batch(shape, 2));
  }

  private static Shape.Array requireSystem(String function, List<XlaOp> diagonals, XlaOp rhs) {
    Shape.Array shape = Checks.numberMatrices(function, "rhs", rhs);
    Shape.Array row =
        shape.withSizes(Checks.batch(shape, 2).concat(Dims.of(1, Checks.rows(shape))));
    List<String> names = List.of("lower diagonal", "main diagonal", "upper diagonal");
    for (int i = 0; i < names.size(); i++) {
      Checks.requireShape(function, names.get(i), diagonals.get(i), row);
    }
    return shape;
  }

  /** {@code [..., 1, n]} as {@code [b, n]}. */
  private static XlaOp vectors(XlaOp diagonal) {
    XlaOp flat = Stack.flatten(diagonal, 2);
    return flat.reshape(Stack.size(flat, 0), Stack.size(flat, 2));
  }

  /**
   * Solves equations whose matrix has these diagonals, given in one array.
   *
   * @param algo the algorithm
   * @param diagonals {@code [..., 3, n]}: the upper, the main and the lower diagonal
   * @param rhs the right sides, as rows {@code [..., k, n]}
   * @return the op, the solutions, of the shape of rhs
   * @throws HloException if shapes are incompatible
   */
  public static XlaOp tridiagonalSolver(SolverAlgorithm algo, XlaOp diagonals, XlaOp rhs) {
    Shape.Array shape = Checks.numberMatrices("tridiagonalSolver", "rhs", rhs);
    Shape.Array three =
        shape.withSizes(Checks.batch(shape, 2).concat(Dims.of(3, Checks.columns(shape))));
    Checks.requireShape("tridiagonalSolver", "diagonals", diagonals, three);
    int dimension = shape.rank() - 2;
    XlaOp solution =
        tridiagonalSolver(
            algo,
            diagonals.sliceInDim(2, 3, 1, dimension),
            diagonals.sliceInDim(1, 2, 1, dimension),
            diagonals.sliceInDim(0, 1, 1, dimension),
            Matrix.transposeInMinorDims(rhs));
    return Matrix.transposeInMinorDims(solution);
  }

  private static XlaOp solved(boolean pivoting, XlaOp lower, XlaOp main, XlaOp upper, XlaOp rhs) {
    XlaBuilder builder = rhs.builder();
    long n = Stack.size(rhs, 1);
    XlaOp inside = Stack.positions(upper, 1).lt(builder.constant((int) n - 1));
    XlaOp bounded = inside.select(upper, upper.zerosLike());
    List<XlaOp> start = List.of(main, bounded, upper.zerosLike(), rhs, lower);
    List<XlaOp> eliminated =
        n == 1
            ? start
            : Loops.forEachIndex(
                builder,
                n - 1,
                ElementType.S32,
                (body, i, v) -> eliminate(pivoting, i, Rows.of(v), v.get(4)),
                start);
    return substituted(Rows.of(eliminated));
  }

  /**
   * Eliminates element i with row i or, if its element is larger, row i + 1: subtracts a multiple
   * of one row from the other.
   */
  private static List<XlaOp> eliminate(boolean pivoting, XlaOp i, Rows rows, XlaOp lower) {
    XlaOp next = i.add(i.fullLike(1));
    XlaOp below = Stack.element(lower, next);
    XlaOp here = Stack.element(rows.main, i);
    XlaOp swap = pivoting ? below.abs().gt(here.abs()) : below.ne(below).fullLike(false);
    XlaOp pivot = swap.select(below, here);
    XlaOp factor = swap.select(here, below).div(pivot);
    XlaOp mainBelow = Stack.element(rows.main, next);
    XlaOp upperHere = Stack.element(rows.upper, i);
    XlaOp upperBelow = Stack.element(rows.upper, next);
    XlaOp upper = swap.select(mainBelow, upperHere);
    XlaOp second = swap.select(upperBelow, upperBelow.zerosLike());
    XlaOp leftMain = swap.select(upperHere, mainBelow).sub(factor.mul(upper));
    XlaOp leftUpper = swap.select(upperBelow.zerosLike(), upperBelow).sub(factor.mul(second));
    Rows turned =
        new Rows(
            Stack.withElement(Stack.withElement(rows.main, pivot, i), leftMain, next),
            Stack.withElement(Stack.withElement(rows.upper, upper, i), leftUpper, next),
            Stack.withElement(rows.second, second, i),
            eliminated(rows.rhs, i, next, swap, factor));
    return List.of(turned.main, turned.upper, turned.second, turned.rhs, lower);
  }

  private static XlaOp eliminated(XlaOp rhs, XlaOp i, XlaOp next, XlaOp swap, XlaOp factor) {
    XlaOp above = Stack.row(rhs, i);
    XlaOp below = Stack.row(rhs, next);
    XlaOp swaps = swap.broadcastInDim(above.arrayShape().sizes(), broadcastDimensions(0));
    XlaOp first = swaps.select(below, above);
    XlaOp other = swaps.select(above, below);
    XlaOp left = other.sub(first.mul(factor, broadcastDimensions(0)));
    return Stack.withRow(Stack.withRow(rhs, first, i), left, next);
  }

  /** {@code x[i] = (rhs[i] - upper[i] * x[i + 1] - second[i] * x[i + 2]) / main[i]}. */
  private static XlaOp substituted(Rows rows) {
    XlaBuilder builder = rows.rhs.builder();
    long n = Stack.size(rows.rhs, 1);
    XlaOp zero = builder.zeros(rows.rhs.arrayShape().withSizes(Dims.of()));
    XlaOp x = rows.rhs.zerosLike().padInDim(zero, 1, 0, 2);
    List<XlaOp> start = List.of(rows.main, rows.upper, rows.second, rows.rhs, x);
    return Loops.forEachIndex(
            builder,
            n,
            ElementType.S32,
            (body, i, v) -> {
              XlaOp place = body.constant((int) n - 1).sub(i);
              Rows known = Rows.of(v);
              XlaOp found = Stack.withRow(v.get(4), row(known, v.get(4), place), place);
              return List.of(known.main, known.upper, known.second, known.rhs, found);
            },
            start)
        .get(4)
        .sliceInDim(0, n, 1, 1);
  }

  private static XlaOp row(Rows rows, XlaOp x, XlaOp i) {
    XlaOp one = i.fullLike(1);
    XlaOp next = Stack.row(x, i.add(one));
    XlaOp afterNext = Stack.row(x, i.add(one).add(one));
    Dims batch = broadcastDimensions(0);
    return Stack.row(rows.rhs, i)
        .sub(next.mul(Stack.element(rows.upper, i), batch))
        .sub(afterNext.mul(Stack.element(rows.second, i), batch))
        .div(Stack.element(rows.main, i), batch);
  }

  /**
   * Returns the product of a matrix of three diagonals with columns.
   *
   * @param upperDiagonal {@code [..., 1, n]}
   * @param mainDiagonal {@code [..., 1, n]}
   * @param lowerDiagonal {@code [..., 1, n]}
   * @param rhs columns {@code [..., n, k]}
   * @return the op, of the shape of rhs
   * @throws HloException if shapes are incompatible
   */
  public static XlaOp tridiagonalMatMul(
      XlaOp upperDiagonal, XlaOp mainDiagonal, XlaOp lowerDiagonal, XlaOp rhs) {
    List<XlaOp> diagonals = Arrays.asList(lowerDiagonal, mainDiagonal, upperDiagonal);
    Shape.Array shape = requireSystem("tridiagonalMatMul", diagonals, rhs);
    if (Checks.rows(shape) == 0) {
      return rhs;
    }
    XlaOp x = Stack.flatten(rhs, 2);
    long n = Checks.rows(shape);
    XlaOp zero = rhs.builder().zeros(shape.withSizes(Dims.of()));
    XlaOp fromAbove =
        scaled(x.sliceInDim(0, n - 1, 1, 1), vectors(lowerDiagonal).sliceInDim(1, n, 1, 1));
    XlaOp fromBelow =
        scaled(x.sliceInDim(1, n, 1, 1), vectors(upperDiagonal).sliceInDim(0, n - 1, 1, 1));
    XlaOp product =
        scaled(x, vectors(mainDiagonal))
            .add(fromAbove.padInDim(zero, 1, 1, 0))
            .add(fromBelow.padInDim(zero, 1, 0, 1));
    return Stack.restore(product, Checks.batch(shape, 2));
  }

  private static XlaOp scaled(XlaOp x, XlaOp factors) {
    return x.mul(factors, broadcastDimensions(0, 1));
  }
}
