package org.hlo4j.interpreter.reference.linalg;

import org.hlo4j.interpreter.engine.Limits;

/**
 * The balancing of a square matrix before its eigenvalues are computed, as in LAPACK's gebal. Rows
 * and columns that isolate an eigenvalue are permuted to the ends, and the others are scaled by
 * powers of two until the norms of each row and its column are close.
 */
public final class Balance {
  /**
   * Scaling is worthwhile if it reduces the sum of the norms of a row and its column to less than
   * this fraction.
   */
  private static final double SCALING_THRESHOLD = 0.95;

  /** The bounds of a scale factor, from LAPACK's bounds for a double. */
  private static final double MIN = 0x1p-969;

  private static final double MAX = 0x1p969;

  private final Matrix a;

  /**
   * For rows from low to high, exclusive, the scale factor; for the others, the row that each was
   * exchanged with.
   */
  private final double[] scale;

  private int low;
  private int high;

  private Balance(Matrix a) {
    this.a = a;
    this.scale = new double[a.rows()];
    this.high = a.rows();
  }

  /** Permutes the rows and columns of a matrix. */
  static Balance permute(Matrix a) {
    Balance balance = new Balance(a);
    balance.permute();
    return balance;
  }

  /** Permutes and scales the rows and columns of a matrix. */
  public static Balance permuteAndScale(Matrix a) {
    Balance balance = permute(a);
    for (boolean again = true; again; ) {
      again = false;
      for (int i = balance.low; i < balance.high; i++) {
        again |= balance.scale(i);
      }
    }
    return balance;
  }

  /** Returns the first row whose eigenvalue is not isolated. */
  public int low() {
    return low;
  }

  /** Returns the end, exclusive, of the rows whose eigenvalues are not isolated. */
  public int high() {
    return high;
  }

  private void permute() {
    for (boolean again = true; again; ) {
      again = false;
      for (int i = high - 1; i >= 0 && high > 1; i--) {
        if (isRowIsolated(i)) {
          exchange(i, high - 1);
          high--;
          again = true;
        }
      }
    }
    for (boolean again = high > 1; again; ) {
      again = false;
      for (int j = low; j < high; j++) {
        if (isColumnIsolated(j)) {
          exchange(j, low);
          low++;
          again = true;
        }
      }
    }
    for (int i = low; i < high; i++) {
      scale[i] = 1;
    }
  }

  private boolean isRowIsolated(int i) {
    Limits.checkCurrent();
    for (int j = 0; j < high; j++) {
      if (i != j && !a.get(i, j).isZero()) {
        return false;
      }
    }
    return true;
  }

  private boolean isColumnIsolated(int j) {
    Limits.checkCurrent();
    for (int i = low; i < high; i++) {
      if (i != j && !a.get(i, j).isZero()) {
        return false;
      }
    }
    return true;
  }

  private void exchange(int i, int end) {
    scale[end] = i;
    a.swapColumns(i, end);
    a.swapRows(i, end);
  }

  /** Scales a row and its column. Returns false, and does nothing, if it is not worthwhile. */
  private boolean scale(int i) {
    Limits.checkCurrent();
    double column = norm(i, false);
    double row = norm(i, true);
    if (column == 0 || row == 0) {
      return false;
    }
    double greatestOfColumn = greatest(i, false);
    double greatestOfRow = greatest(i, true);
    int exponent = 0;
    double c = column;
    double r = row;
    while (c < r / 2 && isWithin(exponent + 1, c, greatestOfColumn, r, greatestOfRow)) {
      exponent++;
      c *= 2;
      r /= 2;
      greatestOfColumn *= 2;
      greatestOfRow /= 2;
    }
    while (c / 2 >= r && isWithin(1 - exponent, r, greatestOfRow, c, greatestOfColumn)) {
      exponent--;
      c /= 2;
      r *= 2;
      greatestOfColumn /= 2;
      greatestOfRow *= 2;
    }
    double factor = Math.scalb(1.0, exponent);
    double all = scale[i] * factor;
    if (c + r >= SCALING_THRESHOLD * (column + row) || all <= MIN || all >= MAX) {
      return false;
    }
    scale[i] = all;
    for (int j = low; j < a.columns(); j++) {
      a.set(i, j, Eigen.scaled(a.get(i, j), 1 / factor));
    }
    for (int j = 0; j < high; j++) {
      a.set(j, i, Eigen.scaled(a.get(j, i), factor));
    }
    return true;
  }

  /** Returns whether neither the growing norm overflows nor the shrinking norm underflows. */
  private static boolean isWithin(
      int exponent, double growing, double otherGrowing, double shrinking, double otherShrinking) {
    return exponent < 969
        && Math.max(growing, otherGrowing) < MAX / 2
        && Math.min(shrinking, otherShrinking) > MIN * 2;
  }

  private double norm(int i, boolean isRow) {
    double norm = 0;
    for (int j = low; j < high; j++) {
      norm = Math.hypot(norm, (isRow ? a.get(i, j) : a.get(j, i)).abs());
    }
    return norm;
  }

  private double greatest(int i, boolean isRow) {
    double greatest = 0;
    for (int j = isRow ? low : 0; j < (isRow ? a.columns() : high); j++) {
      greatest = Math.max(greatest, (isRow ? a.get(i, j) : a.get(j, i)).abs());
    }
    return greatest;
  }

  /**
   * Transforms eigenvectors of the balanced matrix, the columns, to those of the original matrix.
   */
  void backTransform(Matrix vectors, boolean areLeft) {
    for (int i = low; i < high; i++) {
      Limits.checkCurrent();
      for (int j = 0; j < vectors.columns(); j++) {
        double factor = areLeft ? 1 / scale[i] : scale[i];
        vectors.set(i, j, Eigen.scaled(vectors.get(i, j), factor));
      }
    }
    for (int i = low - 1; i >= 0; i--) {
      vectors.swapRows(i, (int) scale[i]);
    }
    for (int i = high; i < scale.length; i++) {
      vectors.swapRows(i, (int) scale[i]);
    }
  }
}
