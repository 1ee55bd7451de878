package org.hlo4j.interpreter.compiled.linalg;

import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.interpreter.engine.Pieces;
import org.hlo4j.interpreter.engine.Workers;

/**
 * Cholesky factorizations and triangular solves. The operations on each element are those of the
 * reference, in the reference's order, but loops run along rows.
 *
 * @param m the triangular matrix
 * @param x the right-hand sides, which become the solution
 * @param isUpward whether the last row is known first
 * @param hasUnitDiagonal whether the diagonal is taken to be 1
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Triangles(double[][] m, double[][] x, boolean isUpward, boolean hasUnitDiagonal) {
  /** The number of columns of right-hand sides that are solved at a time. */
  private static final int PANEL = 64;

  /** The number of known rows that are subtracted from each other row at a time. */
  private static final int ROWS = 8;

  /**
   * Returns the factor of a matrix: {@code factor * factor'} or, for the upper triangle, {@code
   * factor' * factor}. It is NaN if the matrix is not positive definite. As soon as an element of a
   * row is known, its products are added to all sums of the row that need them.
   */
  static double[][] cholesky(double[][] a, boolean lower) {
    int n = a.length;
    double[][] root = new double[n][n];
    double[][] transposed = new double[n][n];
    double[][] factor = lower ? root : transposed;
    if (factorize(a, lower, root, transposed) < n) {
      RowArithmetic.fill(factor, Double.NaN);
    }
    return factor;
  }

  /**
   * Replaces one triangle of a matrix by its factor, and leaves the other as it is.
   *
   * @return 0, or the order of the first leading minor that is not positive. The columns (or, of
   *     the upper triangle, rows) before it are then those of the factor, and the last element of
   *     the minor is what was left of it.
   */
  static int potrf(double[][] a, boolean lower) {
    int n = a.length;
    double[][] root = new double[n][n];
    double[][] transposed = new double[n][n];
    int definite = factorize(a, lower, root, transposed);
    for (int i = 0; i < n; i++) {
      int known = i > definite ? definite : i + 1;
      for (int j = 0; j < known; j++) {
        a[lower ? i : j][lower ? j : i] = root[i][j];
      }
    }
    return definite < n ? definite + 1 : 0;
  }

  /**
   * Computes the factor, and its transpose, as far as leading minors are positive.
   *
   * @return the number of rows of the greatest of them
   */
  private static int factorize(
      double[][] a, boolean lower, double[][] root, double[][] transposed) {
    int definite = a.length;
    Pieces pieces = new Pieces();
    for (int i = 0; i < a.length; i++) {
      pieces.next((long) i * i);
      double[] row = lower ? a[i] : RowArithmetic.column(a, i, 0);
      double square = row(root[i], transposed, row, Math.min(i, definite));
      if (i < definite) {
        definite = square > 0 ? definite : i;
        root[i][i] = square > 0 ? Math.sqrt(square) : square;
        transposed[i][i] = root[i][i];
      }
    }
    return definite;
  }

  /**
   * Computes the first {@code i} elements of a row, and returns what is left of the square of the
   * next one. Columns are separate arrays, since C2 does not vectorize accesses at varying offsets.
   */
  private static double row(double[] root, double[][] transposed, double[] row, int i) {
    double[] sums = new double[i + 1];
    for (int j = 0; j < i; j++) {
      double[] column = transposed[j];
      double element = (row[j] - sums[j]) / column[j];
      root[j] = element;
      for (int k = j + 1; k < i; k++) {
        sums[k] += element * column[k];
      }
      sums[i] += element * element;
      column[i] = element;
    }
    return row[i] - sums[i];
  }

  /** Returns the solution of {@code op(a) * result = b} or {@code result * op(a) = b}. */
  static double[][] solve(TriangularSolve op, double[][] a, double[][] b, Workers workers) {
    boolean isAdjoint = op.transposeA() != TriangularSolve.TransposeA.NO_TRANSPOSE;
    boolean isTransposed = isAdjoint == op.leftSide();
    double[][] m = isTransposed ? RowArithmetic.transposed(a) : a;
    double[][] x = op.leftSide() ? b : RowArithmetic.transposed(b);
    Triangles triangle = new Triangles(m, x, op.lower() == isTransposed, op.unitDiagonal());
    int columns = x[0].length;
    workers.run(
        Math.ceilDiv(columns, PANEL),
        panel -> triangle.solve(panel * PANEL, Math.min(columns, (panel + 1) * PANEL)));
    return op.leftSide() ? x : RowArithmetic.transposed(x);
  }

  /** Returns the row that is solved in a step. */
  private int row(int step) {
    return isUpward ? m.length - 1 - step : step;
  }

  /**
   * Computes {@code x[i] = (x[i] - sum over the known k of m[i, k] * x[k]) / m[i, i]} for columns
   * {@code first} to {@code end - 1}.
   */
  private void solve(int first, int end) {
    Pieces pieces = new Pieces();
    for (int known = 0; known < m.length; known += ROWS) {
      pieces.next((long) (m.length - known) * (end - first) * ROWS);
      int next = Math.min(m.length, known + ROWS);
      for (int step = known; step < next; step++) {
        double[] to = x[row(step)];
        double[] factors = m[row(step)];
        for (int k = known; k < step; k++) {
          RowArithmetic.subtract(to, factors[row(k)], x[row(k)], first, end);
        }
        for (int j = first; j < end && !hasUnitDiagonal; j++) {
          to[j] /= factors[row(step)];
        }
      }
      int stride = isUpward ? -1 : 1;
      for (int step = next; step < m.length; step++) {
        double[] to = x[row(step)];
        double[] factors = m[row(step)];
        RowArithmetic.subtractFour(to, first, end, factors, row(known), stride, x);
        RowArithmetic.subtractFour(to, first, end, factors, row(known + 4), stride, x);
      }
    }
  }
}
