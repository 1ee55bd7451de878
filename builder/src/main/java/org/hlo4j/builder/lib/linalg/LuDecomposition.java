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
 * The LU decomposition: a matrix with permuted rows as the product of a unit lower and an upper
 * triangular matrix, by Gaussian elimination with partial pivoting (Golub and Van Loan, Matrix
 * Computations, 3.4).
 *
 * <p>XLA emits a custom call {@code LuDecomposition}; here the algorithm itself is emitted, in
 * plain HLO. Element types are f32, f64, c64 and c128.
 */
public final class LuDecomposition {
  private LuDecomposition() {}

  /**
   * A decomposition: row {@code permutation[i]} of a is row i of {@code l * u}.
   *
   * @param lu {@code [..., m, n]}: u on and above the diagonal, below it l
   * @param pivots s32 {@code [..., min(m, n)]}: the row exchanged with row i in step i
   * @param permutation s32 {@code [..., m]}: the product of all exchanges
   */
  public record Result(XlaOp lu, XlaOp pivots, XlaOp permutation) {}

  /**
   * Decomposes matrices. The pivot is the element with the largest magnitude, the first of equal
   * ones; a column of zeros is not changed.
   *
   * @param a matrices {@code [..., m, n]}
   * @return the decomposition
   * @throws HloException if a holds no matrices of a float or complex type
   */
  public static Result luDecomposition(XlaOp a) {
    Shape.Array shape = Checks.numberMatrices("luDecomposition", "a", a);
    Dims batch = Checks.batch(shape, 2);
    long count = Math.min(Checks.rows(shape), Checks.columns(shape));
    XlaOp flat = Stack.flatten(a, 2);
    XlaOp pivots = a.builder().zeros(Shape.of(ElementType.S32, Stack.size(flat, 0), count));
    Shape.Array rows = Shape.of(ElementType.S32, Stack.size(flat, 0), Checks.rows(shape));
    List<XlaOp> values = List.of(flat, pivots, a.builder().iota(rows, 1));
    List<XlaOp> last =
        count == 0
            ? values
            : Loops.forEachIndex(
                a.builder(), count, ElementType.S32, LuDecomposition::eliminate, values);
    return new Result(
        Stack.restore(last.get(0), batch),
        Stack.restore(last.get(1), batch),
        Stack.restore(last.get(2), batch));
  }

  private static List<XlaOp> eliminate(XlaBuilder body, XlaOp k, List<XlaOp> carried) {
    XlaOp pivot = pivot(Stack.column(carried.get(0), k), k);
    XlaOp a = exchanged(carried.get(0), k, pivot);
    XlaOp permutation = exchangedElements(carried.get(2), k, pivot);
    XlaOp column = Stack.column(a, k);
    XlaOp below = Stack.positions(column, 1).gt(k);
    XlaOp divisor = Stack.nonzero(Stack.element(column, k));
    XlaOp factors = below.select(column.div(divisor, broadcastDimensions(0)), column.zerosLike());
    XlaOp reduced = a.sub(Stack.outer(factors, Stack.row(a, k), a));
    XlaOp columns = Stack.positions(a, 2);
    XlaOp isFactor = columns.eq(k).and(Stack.alongRows(below, a));
    XlaOp next = isFactor.select(Stack.alongRows(factors, a), columns.gt(k).select(reduced, a));
    return List.of(next, Stack.withElement(carried.get(1), pivot, k), permutation);
  }

  /** Returns the row from k on with the largest magnitude, {@code [b]}; k itself if all are NaN. */
  private static XlaOp pivot(XlaOp column, XlaOp k) {
    XlaOp rows = Stack.positions(column, 1);
    XlaOp magnitudes = column.abs();
    XlaOp eligible = rows.ge(k).select(magnitudes, magnitudes.zerosLike());
    XlaOp greatest = Stack.greatest(eligible, 1);
    XlaOp isGreatest = rows.ge(k).and(eligible.eq(greatest, broadcastDimensions(0)));
    int none = (int) Stack.size(column, 1);
    XlaOp first =
        isGreatest
            .select(rows, rows.fullLike(none))
            .reduce(column.builder().constant(none), (a, b) -> a.min(b), 1);
    XlaOp itself = first.zerosLike().add(k);
    return first.lt(first.fullLike(none)).select(first, itself);
  }

  /** Exchanges rows k and pivot. */
  private static XlaOp exchanged(XlaOp a, XlaOp k, XlaOp pivot) {
    XlaOp rows = Stack.positions(a, 1);
    XlaOp isPivot = rows.eq(pivot, broadcastDimensions(0));
    XlaOp pivotRow = Stack.sum(isPivot.select(a, a.zerosLike()), 1);
    XlaOp upper = Stack.alongColumns(Stack.row(a, k), a);
    XlaOp lower = Stack.alongColumns(pivotRow, a);
    return rows.eq(k).select(lower, isPivot.select(upper, a));
  }

  private static XlaOp exchangedElements(XlaOp vectors, XlaOp k, XlaOp pivot) {
    XlaOp places = Stack.positions(vectors, 1);
    XlaOp isPivot = places.eq(pivot, broadcastDimensions(0));
    XlaOp there = Stack.sum(isPivot.select(vectors, vectors.zerosLike()), 1);
    XlaOp here = Stack.element(vectors, k);
    Dims sizes = vectors.arrayShape().sizes();
    XlaOp lower = there.broadcastInDim(sizes, broadcastDimensions(0));
    XlaOp upper = here.broadcastInDim(sizes, broadcastDimensions(0));
    return places.eq(k).select(lower, isPivot.select(upper, vectors));
  }
}
