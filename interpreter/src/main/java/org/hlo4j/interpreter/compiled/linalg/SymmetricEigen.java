package org.hlo4j.interpreter.compiled.linalg;

import java.util.Arrays;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.Workers;

/**
 * The eigendecomposition of a symmetric matrix of doubles. Reflections reduce the matrix to a
 * tridiagonal one, and rotations of neighboring rows (the QL algorithm with implicit shifts) make
 * that diagonal.
 */
final class SymmetricEigen {
  private static final double ROUNDING = 0x1p-53;
  private static final int MAX_ITERATIONS = 60;

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
   * of the matrix must be set, and it is overwritten. The results of a matrix that is not finite
   * are NaN.
   */
  static void eigh(double[][] a, double[][] vectors, double[] values, Workers workers) {
    double greatest = RowArithmetic.maxAbs(a);
    if (!Double.isFinite(greatest)) {
      Arrays.fill(values, Double.NaN);
      RowArithmetic.fill(vectors, Double.NaN);
      return;
    }
    double unit = Math.scalb(1.0, Math.getExponent(greatest));
    if (unit != 1 && unit > 0) {
      RowArithmetic.scale(a, 1 / unit);
    }
    SymmetricEigen eigen = new SymmetricEigen(a);
    eigen.tridiagonalize();
    Rotations rotations = eigen.basis(workers);
    eigen.diagonalize(rotations);
    for (int i = 0; i < a.length; i++) {
      values[i] = eigen.diagonal[i] * unit;
    }
    sort(values, rotations.rows(), vectors);
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
    for (int k = 0; k < n; k++) {
      Limits.checkCurrent();
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
    for (int k = n - 1; k >= 0; k--) {
      Limits.checkCurrent();
      q[k][k] = 1;
      if (k + 1 < n) {
        Reflections.apply(a[k], k + 1, taus[k], q, k + 1);
      }
    }
    return new Rotations(RowArithmetic.transposed(q), workers);
  }

  private void diagonalize(Rotations rotations) {
    for (int first = 0; first < n; first++) {
      int last = lastOfBlock(first);
      for (int iteration = 0; last > first && iteration < MAX_ITERATIONS; iteration++) {
        Limits.checkCurrent();
        qlStep(first, last, rotations);
        last = lastOfBlock(first);
      }
    }
  }

  /**
   * Returns the last index of the block that begins at {@code first}: the element next to its last
   * diagonal element is negligible.
   */
  private int lastOfBlock(int first) {
    int last = first;
    while (last + 1 < n && !isOffDiagonalNegligible(last)) {
      last++;
    }
    return last;
  }

  private boolean isOffDiagonalNegligible(int i) {
    double size = Math.abs(diagonal[i]) + Math.abs(diagonal[i + 1]);
    return Math.abs(offDiagonal[i]) <= ROUNDING * size + Rotations.NEGLIGIBLE;
  }

  /**
   * Runs one iteration with Wilkinson's shift, from the last element of a block up to the first.
   */
  private void qlStep(int first, int last, Rotations rotations) {
    double half = (diagonal[first + 1] - diagonal[first]) / 2;
    double off = offDiagonal[first];
    double root = Rotations.hypot(half, off);
    double shift = diagonal[first] - off * (off / (half + Math.copySign(root, half)));
    double g = diagonal[last] - shift;
    double sine = 1;
    double cosine = 1;
    double moved = 0;
    for (int i = last - 1; i >= first; i--) {
      double f = sine * offDiagonal[i];
      double b = cosine * offDiagonal[i];
      double r = Rotations.hypot(f, g);
      offDiagonal[i + 1] = r;
      if (r == 0) {
        diagonal[i + 1] -= moved;
        offDiagonal[last] = 0;
        return;
      }
      sine = f / r;
      cosine = g / r;
      double kept = diagonal[i + 1] - moved;
      double change = (diagonal[i] - kept) * sine + 2 * cosine * b;
      moved = sine * change;
      diagonal[i + 1] = kept + moved;
      g = cosine * change - b;
      rotations.add(i + 1, i, cosine, sine);
    }
    diagonal[first] -= moved;
    offDiagonal[first] = g;
    offDiagonal[last] = 0;
  }
}
