package org.hlo4j.interpreter.reference.linalg;

/**
 * A square matrix made easier for eigenvalues, as LAPACK's gebal does it: rows and columns that
 * have an eigenvalue to themselves are moved to the ends, and the others scaled by powers of two
 * until a row is about as long as its column.
 */
public final class Balance {
  /** What the sum of two lengths has to come down to for it to be worth it. */
  private static final double ENOUGH = 0.95;

  /** Where scaling has to stop, by LAPACK's bounds of a double. */
  private static final double MIN = 0x1p-969;

  private static final double MAX = 0x1p969;

  private final Matrix a;

  /** For rows outside of low and high, which one was there; for those between, the factor. */
  private final double[] scale;

  private int low;
  private int high;

  private Balance(Matrix a) {
    this.a = a;
    this.scale = new double[a.rows()];
    this.high = a.rows();
  }

  /** Moves rows and columns of a matrix. */
  static Balance permute(Matrix a) {
    Balance balance = new Balance(a);
    balance.permute();
    return balance;
  }

  /** Moves and scales rows and columns of a matrix. */
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

  /** The first row that shares its eigenvalues. */
  public int low() {
    return low;
  }

  /** The first row after those that share theirs. */
  public int high() {
    return high;
  }

  private void permute() {
    for (boolean again = true; again; ) {
      again = false;
      for (int i = high - 1; i >= 0 && high > 1; i--) {
        if (isRowAlone(i)) {
          exchange(i, high - 1);
          high--;
          again = true;
        }
      }
    }
    for (boolean again = high > 1; again; ) {
      again = false;
      for (int j = low; j < high; j++) {
        if (isColumnAlone(j)) {
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

  private boolean isRowAlone(int i) {
    for (int j = 0; j < high; j++) {
      if (i != j && !a.get(i, j).isZero()) {
        return false;
      }
    }
    return true;
  }

  private boolean isColumnAlone(int j) {
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

  /** Scales a row and its column; false if it is not worth it. */
  private boolean scale(int i) {
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
    if (c + r >= ENOUGH * (column + row) || all <= MIN || all >= MAX) {
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

  /** Whether what grows and what shrinks both stay numbers with all their bits. */
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

  /** Makes vectors of the balanced matrix, a column each, those of the matrix as it was. */
  void undo(Matrix vectors, boolean areLeft) {
    for (int i = low; i < high; i++) {
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
