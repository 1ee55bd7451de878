package org.hlo4j.interpreter.compiled.linalg;

import java.util.Arrays;
import org.hlo4j.interpreter.engine.Pieces;
import org.hlo4j.interpreter.engine.Workers;
import org.hlo4j.interpreter.math.RealMath;
import org.hlo4j.interpreter.math.SymmetricTridiagonal;

/**
 * The eigendecomposition of a symmetric matrix of doubles. Reflections reduce the matrix to a
 * tridiagonal one, which {@link SymmetricTridiagonal} makes diagonal.
 */
final class SymmetricEigen {
  private final double[][] a;
  private final int n;
  private final double[] diagonal;
  private final double[] offDiagonal;
  private final double[] taus;

  private SymmetricEigen(double[][] a) {
    this.a = a;
    this.n = a.length;
    this.diagonal = new double[n];
    this.offDiagonal = new double[n];
    this.taus = new double[n];
  }

  /**
   * Computes the eigenvectors, in columns, and the eigenvalues, in ascending order. Both triangles
   * of the matrix must be set, and it is overwritten.
   *
   * @param greatest the greatest magnitude in the matrix; if it is not finite, the results are NaN
   * @return 0, or the number of elements beside the diagonal that did not converge
   */
  static int eigh(
      double[][] a, double greatest, double[][] vectors, double[] values, Workers workers) {
    if (!Double.isFinite(greatest)) {
      Arrays.fill(values, Double.NaN);
      RowArithmetic.fill(vectors, Double.NaN);
      return 0;
    }
    int exponent = RealMath.scalingExponent(greatest);
    RowArithmetic.scale(a, -exponent);
    SymmetricEigen eigen = new SymmetricEigen(a);
    eigen.tridiagonalize();
    Rotations rotations = eigen.basis(workers);
    Pieces steps = new Pieces();
    int info =
        new SymmetricTridiagonal(
                eigen.diagonal, eigen.offDiagonal, rotations, () -> steps.next(a.length))
            .diagonalize();
    for (int i = 0; i < a.length; i++) {
      values[i] = Math.scalb(eigen.diagonal[i], exponent);
    }
    sort(values, rotations.rows(), vectors);
    return info;
  }

  /** Sorts values and rows, and stores the rows as the columns of {@code vectors}. */
  private static void sort(double[] values, double[][] rows, double[][] vectors) {
    int[] order = RowArithmetic.order(values);
    double[] before = values.clone();
    for (int j = 0; j < order.length; j++) {
      values[j] = before[order[j]];
      double[] row = rows[order[j]];
      if (RowArithmetic.isNegative(row)) {
        RowArithmetic.negate(row);
      }
      for (int i = 0; i < row.length; i++) {
        vectors[i][j] = row[i];
      }
    }
  }

  /**
   * Reduces the matrix to a tridiagonal one. A reflection from both sides, {@code a - v w' - w v'},
   * clears each row from the second element after the diagonal on. It is applied to a row only when
   * the next reflection reads the row. Reflectors stay in the rows.
   */
  private void tridiagonalize() {
    double[] v = new double[n];
    double[] w = new double[n];
    Pieces pieces = new Pieces();
    for (int k = 0; k < n; k++) {
      pieces.next((long) (n - k) * (n - k));
      double[] row = a[k];
      if (k > 0) {
        RowArithmetic.subtract(row, k, v[k], w, w[k], v);
      }
      diagonal[k] = row[k];
      if (k + 1 < n) {
        double[] next = new double[n];
        taus[k] = Reflections.reflector(row, k + 1);
        offDiagonal[k] = row[k + 1];
        row[k + 1] = 1;
        for (int i = k + 1; i < n; i++) {
          if (k > 0) {
            RowArithmetic.subtract(a[i], k + 1, v[i], w, w[i], v);
          }
          if (taus[k] != 0) {
            RowArithmetic.subtract(next, -row[i], a[i], k + 1);
          }
        }
        double dotProduct = 0;
        for (int j = k + 1; j < n; j++) {
          next[j] *= taus[k];
          dotProduct += next[j] * row[j];
        }
        RowArithmetic.subtract(next, dotProduct * taus[k] / 2, row, k + 1);
        v = row;
        w = next;
      }
    }
  }

  /** Returns the rows to be rotated: the columns of the product of all reflections. */
  private Rotations basis(Workers workers) {
    double[][] q = RowArithmetic.zeros(n, n);
    Pieces pieces = new Pieces();
    for (int k = n - 1; k >= 0; k--) {
      pieces.next(n);
      q[k][k] = 1;
      if (k + 1 < n) {
        Reflections.apply(a[k], k + 1, taus[k], q, k + 1);
      }
    }
    return new Rotations(RowArithmetic.transposed(q), workers);
  }
}
