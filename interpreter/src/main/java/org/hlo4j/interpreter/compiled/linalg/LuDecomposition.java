package org.hlo4j.interpreter.compiled.linalg;

import org.hlo4j.interpreter.engine.Pieces;

/**
 * The blocked LU decomposition of a matrix of doubles. The operations on each element are those of
 * the reference, in the reference's order, so that pivots and bits are the same. A panel of columns
 * is factorized, and then all steps of the panel are applied to the columns right of it at once.
 */
final class LuDecomposition {
  private static final int WIDTH = 8;

  private LuDecomposition() {}

  /**
   * Replaces a by L and U in one matrix. Stores in {@code pivots} the row that each row is swapped
   * with, counted from 1.
   */
  static void lu(double[][] a, double[] pivots) {
    Pieces pieces = new Pieces();
    for (int first = 0; first < pivots.length; first += WIDTH) {
      int end = Math.min(first + WIDTH, pivots.length);
      for (int k = first; k < end; k++) {
        pivots[k] = 1 + eliminate(a, k, end, pieces);
      }
      for (int i = first + 1; i < a.length; i++) {
        pieces.next((long) WIDTH * pivots.length);
        update(a, i, first, Math.min(i, end), end);
      }
    }
  }

  /**
   * Eliminates one column of a panel that ends at a column. Returns the row that was swapped with
   * row k.
   */
  private static int eliminate(double[][] a, int k, int end, Pieces pieces) {
    int pivot = k;
    for (int i = k + 1; i < a.length; i++) {
      pivot = Math.abs(a[i][k]) > Math.abs(a[pivot][k]) ? i : pivot;
    }
    double[] row = a[pivot];
    a[pivot] = a[k];
    a[k] = row;
    for (int i = k + 1; i < a.length && row[k] != 0; i++) {
      pieces.next(end - k);
      double[] to = a[i];
      double factor = to[k] / row[k];
      to[k] = factor;
      for (int j = k + 1; j < end; j++) {
        to[j] -= factor * row[j];
      }
    }
    return pivot;
  }

  /** Applies the steps from {@code first} to {@code end - 1} to row i, from {@code column} on. */
  private static void update(double[][] a, int i, int first, int end, int column) {
    double[] to = a[i];
    for (int k = first; k < end; ) {
      boolean areFour = k + 4 <= end && hasPivots(a, k, k + 4);
      if (areFour) {
        RowArithmetic.subtractFour(to, column, to.length, to, k, 1, a);
      } else if (a[k][k] != 0) {
        RowArithmetic.subtract(to, to[k], a[k], column);
      }
      k += areFour ? 4 : 1;
    }
  }

  private static boolean hasPivots(double[][] a, int first, int end) {
    boolean areNonzero = true;
    for (int k = first; k < end; k++) {
      areNonzero &= a[k][k] != 0;
    }
    return areNonzero;
  }
}
