package org.hlo4j.interpreter.compiled.linalg;

import java.util.Arrays;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * The singular value decomposition of a matrix of doubles. Reflections reduce the matrix to a
 * bidiagonal one, which {@link Bidiagonal} makes diagonal. A matrix with many more rows than
 * columns is reduced to a square one by other reflections first (a QR factorization).
 */
final class SingularValueDecomposition {
  private static final int NOT_FINITE = -4;
  private static final double MIN_QR_ASPECT_RATIO = 1.5;

  private final double[][] a;
  private final int columns;
  private final Runnable check;
  private double[][] square;
  private final double[][] lefts;
  private final double[] leftTaus;
  private final double[][] rights;
  private final double[] rightTaus;

  /**
   * Creates the decomposition of a matrix with at least as many rows as columns, which is
   * overwritten.
   */
  private SingularValueDecomposition(double[][] a, Runnable check) {
    this.a = a;
    this.square = a;
    this.columns = a[0].length;
    this.check = check;
    this.lefts = new double[columns][];
    this.leftTaus = new double[columns];
    this.rights = new double[columns][];
    this.rightTaus = new double[columns];
  }

  /**
   * Fills the results, which are zero before: the matrix as it was, the singular values, u, v
   * transposed, and the info. Of u and v, computes as many columns as the results have, or none.
   */
  static void gesdd(
      double[][] a, double[][][] to, boolean areVectorsWanted, KernelContext context) {
    Runnable check = context::checkLimits;
    boolean isWide = a[0].length > a.length;
    double greatest = RowArithmetic.maxAbs(a, check);
    to[0] = a;
    if (!Double.isFinite(greatest)) {
      notFinite(to, areVectorsWanted);
      return;
    }
    double unit = Math.scalb(1.0, Math.getExponent(greatest));
    double[][] tall = isWide ? RowArithmetic.transposed(a, check) : RowArithmetic.copy(a, check);
    RowArithmetic.scale(tall, 1 / unit, check);
    int width = !areVectorsWanted ? 0 : isWide ? to[3].length : to[2][0].length;
    new SingularValueDecomposition(tall, check).run(to, isWide, unit, width, context);
  }

  /** Fills the results of a matrix that is not finite: NaN. */
  private static void notFinite(double[][][] to, boolean areVectorsWanted) {
    RowArithmetic.fill(to[1], Double.NaN);
    to[4][0][0] = NOT_FINITE;
    if (areVectorsWanted) {
      RowArithmetic.fill(to[2], Double.NaN);
      RowArithmetic.fill(to[3], Double.NaN);
    }
  }

  private void run(double[][][] to, boolean isWide, double unit, int width, KernelContext context) {
    boolean isLong = a.length > MIN_QR_ASPECT_RATIO * columns;
    double[][] longs = new double[columns][];
    double[] longTaus = new double[columns];
    if (isLong) {
      triangulate(longs, longTaus);
    }
    double[] diagonal = new double[columns];
    double[] superdiagonal = new double[columns];
    bidiagonalize(diagonal, superdiagonal);
    int vectors = width == 0 ? 0 : columns;
    Rotations left = Rotations.ofIdentity(columns, vectors, context.workers());
    Rotations right = Rotations.ofIdentity(columns, vectors, context.workers());
    new Bidiagonal(diagonal, superdiagonal, left, right).diagonalize(check);
    boolean[] isNegative = new boolean[columns];
    for (int i = 0; i < columns; i++) {
      isNegative[i] = diagonal[i] < 0;
      diagonal[i] = -Math.abs(diagonal[i]);
    }
    int[] order = RowArithmetic.order(diagonal);
    for (int i = 0; i < columns; i++) {
      to[1][0][i] = -diagonal[order[i]] * unit;
    }
    if (width > 0) {
      double[][] v = factor(right, order, columns, columns);
      reflect(rights, rightTaus, 1, v);
      double[][] u = factor(left, order, a.length, width);
      reflect(lefts, leftTaus, 0, u);
      if (isLong) {
        reflect(longs, longTaus, 0, u);
      }
      double[][] rows = RowArithmetic.transposed(v, check);
      for (int j = 0; j < columns; j++) {
        boolean isNegated = RowArithmetic.isNegative(rows[j]);
        negate(v, j, isNegated);
        negate(u, j, isNegated != isNegative[order[j]]);
      }
      to[2] = isWide ? v : u;
      to[3] = RowArithmetic.transposed(isWide ? u : v, check);
    }
  }

  /**
   * Reduces the matrix to a triangle, which becomes the square, and stores the reflections that do
   * so.
   */
  private void triangulate(double[][] longs, double[] taus) {
    for (int k = 0; k < columns; k++) {
      check.run();
      double[] v = column(k);
      taus[k] = Reflection.of(v, k);
      a[k][k] = v[k];
      v[k] = 1;
      longs[k] = v;
      if (taus[k] != 0) {
        Reflection.apply(v, k, taus[k], a, k + 1);
      }
    }
    square = Arrays.copyOf(a, columns);
    for (int i = 0; i < columns; i++) {
      Arrays.fill(square[i], 0, i, 0);
    }
  }

  private double[] column(int k) {
    double[] column = new double[square.length];
    for (int i = k; i < column.length; i++) {
      column[i] = square[i][k];
    }
    return column;
  }

  /**
   * Reduces the square to a bidiagonal matrix. Reflections from the left clear columns below the
   * diagonal, and reflections from the right clear rows after the element next to the diagonal.
   * Both are applied at once, {@code a - v w' - y u'}, where w are the sums of the first reflection
   * and y are those of the second.
   */
  private void bidiagonalize(double[] diagonal, double[] superdiagonal) {
    for (int k = 0; k < columns; k++) {
      check.run();
      double[] v = column(k);
      leftTaus[k] = Reflection.of(v, k);
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
        rightTaus[k] = Reflection.of(u, k + 1);
        superdiagonal[k] = u[k + 1];
        u[k + 1] = 1;
        subtract(k, v, w, u);
      }
    }
  }

  /** Applies both reflections to the rows below row k. */
  private void subtract(int k, double[] v, double[] w, double[] u) {
    double tau = rightTaus[k];
    double[] products = new double[square.length];
    double dotProduct = 0;
    if (tau != 0) {
      RowArithmetic.products(square, k + 1, u, k + 1, products);
      for (int j = k + 1; j < columns; j++) {
        dotProduct += w[j] * u[j];
      }
    }
    for (int i = k + 1; i < square.length; i++) {
      double y = tau * (products[i] - v[i] * dotProduct);
      RowArithmetic.subtract(square[i], k + 1, v[i], w, y, u);
    }
  }

  /**
   * Returns a factor: the columns that the rotations result in, in order, then columns of the
   * identity.
   */
  private double[][] factor(Rotations rotations, int[] order, int rows, int width) {
    double[][] factor = RowArithmetic.zeros(rows, width, check);
    for (int j = 0; j < order.length; j++) {
      double[] column = rotations.row(order[j]);
      for (int i = 0; i < column.length; i++) {
        factor[i][j] = column[i];
      }
    }
    for (int j = order.length; j < width; j++) {
      factor[j][j] = 1;
    }
    return factor;
  }

  private static void negate(double[][] rows, int column, boolean isWanted) {
    for (int i = 0; i < rows.length && isWanted; i++) {
      rows[i][column] = 0.0 - rows[i][column];
    }
  }

  /**
   * Applies all reflections to rows, the last one first. Reflection k uses the elements of its v
   * from {@code k + distance} on.
   */
  private void reflect(double[][] vs, double[] taus, int distance, double[][] rows) {
    for (int k = vs.length - 1; k >= 0; k--) {
      check.run();
      if (taus[k] != 0) {
        Reflection.apply(vs[k], k + distance, taus[k], rows, 0);
      }
    }
  }
}
