package org.hlo4j.interpreter.compiled.linalg;

/**
 * The blocked LU decomposition of a matrix of doubles. The operations on each element are those of
 * the reference, in the reference's order, so that pivots and bits are the same. A panel of columns
 * is copied to separate arrays and factorized. Then all steps of the panel are applied to the
 * columns right of it at once.
 */
final class LuDecomposition {
  private static final int WIDTH = 8;

  /** The maximum number of columns of a matrix that is not worth blocking. */
  private static final int FEW = 24;

  private final double[][] a;
  private final double[] pivots;
  private final double[][] panel;
  private final Runnable check;

  private LuDecomposition(double[][] a, double[] pivots, Runnable check) {
    this.check = check;
    this.a = a;
    this.pivots = pivots;
    this.panel = new double[WIDTH][a.length];
  }

  /**
   * Replaces a by L and U in one matrix. Stores in {@code pivots} the row that each row is swapped
   * with, counted from 1.
   */
  static void lu(double[][] a, double[] pivots, Runnable check) {
    if (a[0].length <= FEW) {
      check.run();
      for (int k = 0; k < pivots.length; k++) {
        eliminateColumn(a, k, pivots);
      }
      return;
    }
    LuDecomposition lu = new LuDecomposition(a, pivots, check);
    for (int first = 0; first < pivots.length; first += WIDTH) {
      lu.factorizePanel(first, Math.min(first + WIDTH, pivots.length));
    }
  }

  /** Eliminates one column and updates the columns right of it. */
  private static void eliminateColumn(double[][] a, int k, double[] pivots) {
    int pivot = k;
    for (int i = k + 1; i < a.length; i++) {
      pivot = Math.abs(a[i][k]) > Math.abs(a[pivot][k]) ? i : pivot;
    }
    pivots[k] = pivot + 1;
    double[] row = a[pivot];
    a[pivot] = a[k];
    a[k] = row;
    for (int i = k + 1; i < a.length && row[k] != 0; i++) {
      double factor = a[i][k] / row[k];
      a[i][k] = factor;
      RowArithmetic.subtract(a[i], factor, row, k + 1);
    }
  }

  /**
   * Factorizes the columns from {@code first} to {@code end - 1} and updates the columns right of
   * them.
   */
  private void factorizePanel(int first, int end) {
    for (int i = first; i < a.length; i++) {
      for (int k = first; k < end; k++) {
        panel[k - first][i] = a[i][k];
      }
    }
    boolean isSingular = false;
    for (int k = first; k < end; k++) {
      isSingular |= !eliminatePanelColumn(k, first, end);
    }
    for (int i = first; i < a.length; i++) {
      for (int k = first; k < end; k++) {
        a[i][k] = panel[k - first][i];
      }
    }
    for (int i = first + 1; i < a.length; i++) {
      RowArithmetic.checkAt(i, check);
      if (isSingular || i < end || end - first < WIDTH) {
        updateRow(i, first, Math.min(i, end), end);
      } else {
        updateRowByPanel(a[i], first);
      }
    }
  }

  /**
   * Eliminates one column of a panel. Returns false if its pivot is zero, so that there is nothing
   * to eliminate.
   */
  private boolean eliminatePanelColumn(int k, int first, int end) {
    double[] column = panel[k - first];
    int pivot = largestBelow(column, k);
    pivots[k] = pivot + 1;
    double[] row = a[pivot];
    a[pivot] = a[k];
    a[k] = row;
    for (int c = 0; c < end - first; c++) {
      double element = panel[c][pivot];
      panel[c][pivot] = panel[c][k];
      panel[c][k] = element;
    }
    if (column[k] == 0) {
      return false;
    }
    for (int i = k + 1; i < column.length; i++) {
      column[i] /= column[k];
    }
    for (int c = k + 1; c < end; c++) {
      RowArithmetic.subtract(panel[c - first], panel[c - first][k], column, k + 1);
    }
    return true;
  }

  private static int largestBelow(double[] column, int k) {
    int largest = k;
    for (int i = k + 1; i < column.length; i++) {
      largest = Math.abs(column[i]) > Math.abs(column[largest]) ? i : largest;
    }
    return largest;
  }

  /** Applies the steps from {@code first} to {@code end - 1} to row i, from {@code column} on. */
  private void updateRow(int i, int first, int end, int column) {
    for (int k = first; k < end; k++) {
      if (a[k][k] != 0) {
        RowArithmetic.subtract(a[i], a[i][k], a[k], column);
      }
    }
  }

  /** Applies all steps of a panel, in their order, to the part of a row that is right of it. */
  private void updateRowByPanel(double[] row, int k) {
    for (int i = k; i < k + WIDTH; i += 4) {
      double[] first = a[i];
      double[] second = a[i + 1];
      double[] third = a[i + 2];
      double[] fourth = a[i + 3];
      RowArithmetic.subtract(
          row, k + WIDTH, row[i], first, row[i + 1], second, row[i + 2], third, row[i + 3], fourth);
    }
  }
}
