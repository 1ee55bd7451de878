package org.hlo4j.interpreter.compiled.linalg;

import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.interpreter.engine.Limits;
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
    boolean isDefinite = true;
    for (int i = 0; i < n && isDefinite; i++) {
      Limits.checkCurrent();
      isDefinite = row(root[i], transposed, lower ? a[i] : RowArithmetic.column(a, i, 0), i);
    }
    double[][] factor = lower ? root : transposed;
    if (!isDefinite) {
      RowArithmetic.fill(factor, Double.NaN);
    }
    return factor;
  }

  /**
   * Computes row i, and returns whether the matrix can be positive definite. Columns are separate
   * arrays, since C2 does not vectorize accesses at varying offsets.
   */
  private static boolean row(double[] root, double[][] transposed, double[] row, int i) {
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
    double square = row[i] - sums[i];
    double diagonal = Math.sqrt(square);
    root[i] = diagonal;
    transposed[i][i] = diagonal;
    return square > 0;
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
    for (int known = 0; known < m.length; known += ROWS) {
      Limits.checkCurrent();
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
