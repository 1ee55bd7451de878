package org.hlo4j.interpreter.compiled.linalg;

import java.util.Arrays;
import org.hlo4j.interpreter.engine.Pieces;
import org.hlo4j.interpreter.engine.Workers;
import org.hlo4j.interpreter.math.Bidiagonal;
import org.hlo4j.interpreter.math.RealMath;

/**
 * The singular value decomposition of a matrix of doubles. Reflections reduce the matrix to a
 * bidiagonal one, which {@link Bidiagonal} makes diagonal. A matrix with many more rows than
 * columns is reduced to a square one by other reflections first (a QR factorization).
 */
final class SingularValueDecomposition {
  private static final double MIN_QR_ASPECT_RATIO = 1.5;

  private final double[][] a;
  private final int columns;
  private double[][] square;
  private final double[][] lefts;
  private final double[] leftTaus;
  private final double[][] rights;
  private final double[] rightTaus;

  /**
   * Creates the decomposition of a matrix with at least as many rows as columns, which is
   * overwritten.
   */
  private SingularValueDecomposition(double[][] a) {
    this.a = a;
    this.square = a;
    this.columns = a[0].length;
    this.lefts = new double[columns][];
    this.leftTaus = new double[columns];
    this.rights = new double[columns][];
    this.rightTaus = new double[columns];
  }

  /**
   * Fills the results, which are zero before: the matrix as it was, the singular values, u and v
   * transposed. Of u and v, computes as many columns as the results have, or none.
   *
   * @param greatest the greatest magnitude in the matrix; if it is not finite, the results are NaN
   * @return 0, or the number of elements beside the diagonal that did not converge
   */
  static int gesdd(
      double[][] a, double greatest, double[][][] to, boolean areVectorsWanted, Workers workers) {
    boolean isWide = a[0].length > a.length;
    to[0] = a;
    if (!Double.isFinite(greatest)) {
      notFinite(to, areVectorsWanted);
      return 0;
    }
    int exponent = RealMath.scalingExponent(greatest);
    double[][] tall = isWide ? RowArithmetic.transposed(a) : RowArithmetic.copy(a);
    RowArithmetic.scale(tall, -exponent);
    int width = !areVectorsWanted ? 0 : isWide ? to[3].length : to[2][0].length;
    return new SingularValueDecomposition(tall).run(to, isWide, exponent, width, workers);
  }

  /** Fills the results of a matrix that is not finite: NaN. */
  private static void notFinite(double[][][] to, boolean areVectorsWanted) {
    RowArithmetic.fill(to[1], Double.NaN);
    if (areVectorsWanted) {
      RowArithmetic.fill(to[2], Double.NaN);
      RowArithmetic.fill(to[3], Double.NaN);
    }
  }

  private int run(double[][][] to, boolean isWide, int exponent, int width, Workers workers) {
    boolean isLong = a.length > MIN_QR_ASPECT_RATIO * columns;
    double[] longTaus = new double[isLong ? columns : 0];
    if (isLong) {
      triangulate(longTaus);
    }
    double[] diagonal = new double[columns];
    double[] superdiagonal = new double[columns];
    bidiagonalize(diagonal, superdiagonal);
    int vectors = width == 0 ? 0 : columns;
    Rotations left = new Rotations(RowArithmetic.identity(columns, vectors), workers);
    Rotations right = new Rotations(RowArithmetic.identity(columns, vectors), workers);
    Pieces steps = new Pieces();
    int info =
        new Bidiagonal(diagonal, superdiagonal, left, right, () -> steps.next(columns))
            .diagonalize();
    boolean[] isNegative = new boolean[columns];
    for (int i = 0; i < columns; i++) {
      isNegative[i] = diagonal[i] < 0;
      diagonal[i] = -Math.abs(diagonal[i]);
    }
    int[] order = RowArithmetic.order(diagonal);
    for (int i = 0; i < columns; i++) {
      to[1][0][i] = Math.scalb(-diagonal[order[i]], exponent);
    }
    if (width > 0) {
      double[][] v = factor(right, order, columns, columns);
      Reflections.applyAll(k -> rights[k], rightTaus, 1, v);
      double[][] u = factor(left, order, a.length, width);
      Reflections.applyAll(k -> lefts[k], leftTaus, 0, u);
      Reflections.applyAll(a, longTaus, u);
      double[][] rows = RowArithmetic.transposed(v);
      for (int j = 0; j < columns; j++) {
        boolean isNegated = RowArithmetic.isNegative(rows[j]);
        negate(v, j, isNegated);
        negate(u, j, isNegated != isNegative[order[j]]);
      }
      to[2] = isWide ? v : u;
      to[3] = RowArithmetic.transposed(isWide ? u : v);
    }
    return info;
  }

  /** Reduces the matrix to a triangle, which becomes the square. */
  private void triangulate(double[] taus) {
    Reflections.qr(a, taus);
    square = RowArithmetic.copy(Arrays.copyOf(a, columns));
    for (int i = 0; i < columns; i++) {
      Arrays.fill(square[i], 0, i, 0);
    }
  }

  /**
   * Reduces the square to a bidiagonal matrix. Reflections from the left clear columns below the
   * diagonal, and reflections from the right clear rows after the element next to the diagonal.
   * Both are applied at once, {@code a - v w' - y u'}, where w are the sums of the first reflection
   * and y are those of the second.
   */
  private void bidiagonalize(double[] diagonal, double[] superdiagonal) {
    Pieces pieces = new Pieces();
    for (int k = 0; k < columns; k++) {
      pieces.next((long) square.length * (columns - k));
      double[] v = RowArithmetic.column(square, k, k);
      leftTaus[k] = Reflections.reflector(v, k);
      diagonal[k] = v[k];
      v[k] = 1;
      lefts[k] = v;
      double[] w = new double[columns];
      if (leftTaus[k] != 0) {
        RowArithmetic.addMultiples(w, k + 1, v, k, square);
        for (int j = k + 1; j < columns; j++) {
          w[j] *= leftTaus[k];
        }
        RowArithmetic.subtract(square[k], 1, w, k + 1);
      }
      double[] u = square[k];
      rights[k] = u;
      if (k + 1 < columns) {
        rightTaus[k] = Reflections.reflector(u, k + 1);
        superdiagonal[k] = u[k + 1];
        u[k + 1] = 1;
        subtract(k, v, w, u);
      }
    }
  }

  /** Applies both reflections to the rows below row k. */
  private void subtract(int k, double[] v, double[] w, double[] u) {
    double tau = rightTaus[k];
    double dotProduct = RowArithmetic.product(w, u, k + 1);
    for (int i = k + 1; i < square.length; i++) {
      double product = tau == 0 ? 0 : RowArithmetic.product(square[i], u, k + 1);
      double y = tau * (product - v[i] * dotProduct);
      RowArithmetic.subtract(square[i], k + 1, v[i], w, y, u);
    }
  }

  /**
   * Returns a factor: the columns that the rotations result in, in order, then columns of the
   * identity.
   */
  private double[][] factor(Rotations rotations, int[] order, int rows, int width) {
    double[][] factor = RowArithmetic.identity(rows, width);
    for (int j = 0; j < order.length; j++) {
      double[] column = rotations.rows()[order[j]];
      for (int i = 0; i < column.length; i++) {
        factor[i][j] = column[i];
      }
    }
    return factor;
  }

  private static void negate(double[][] rows, int column, boolean isWanted) {
    for (int i = 0; i < rows.length && isWanted; i++) {
      rows[i][column] = 0.0 - rows[i][column];
    }
  }
}
