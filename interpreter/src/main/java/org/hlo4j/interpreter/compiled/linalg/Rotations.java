package org.hlo4j.interpreter.compiled.linalg;

import java.util.Arrays;
import org.hlo4j.interpreter.engine.Workers;

/**
 * Rotations of pairs of rows of a matrix. They are collected and then applied to all rows of one
 * strip of columns at a time, so that the strip stays in the cache. Threads share the strips.
 */
final class Rotations {
  /** The number of columns of a strip: the row length for which C2 generates good loops. */
  private static final int COLUMNS = 64;

  private static final int MAX = 1 << 14;

  private final double[][][] strips;
  private final int columns;
  private final Workers workers;
  private int[] pairs = new int[64];
  private double[] cosines = new double[64];
  private double[] sines = new double[64];
  private int count;

  /** Creates rotations of a matrix of zeros. If it has no columns, rotations are ignored. */
  Rotations(int rows, int columns, Workers workers) {
    this.workers = workers;
    this.columns = columns;
    this.strips = new double[Math.ceilDiv(columns, COLUMNS)][rows][];
    for (int s = 0; s < strips.length; s++) {
      int width = Math.min(COLUMNS, columns - s * COLUMNS);
      for (int i = 0; i < rows; i++) {
        strips[s][i] = new double[width];
      }
    }
  }

  /** Returns rotations of a matrix that is 1 where row and column are the same and 0 elsewhere. */
  static Rotations ofIdentity(int rows, int columns, Workers workers) {
    Rotations rotations = new Rotations(rows, columns, workers);
    for (int i = 0; i < Math.min(rows, columns); i++) {
      rotations.set(i, i, 1);
    }
    return rotations;
  }

  /** Sets an element of the matrix before any rotation. */
  void set(int row, int column, double value) {
    strips[column / COLUMNS][row][column % COLUMNS] = value;
  }

  /**
   * Adds the rotation {@code one, other = cosine * one + sine * other, cosine * other - sine * one}
   * of two rows.
   */
  void add(int one, int other, double cosine, double sine) {
    if (strips.length == 0) {
      return;
    }
    if (2 * count == pairs.length) {
      pairs = Arrays.copyOf(pairs, 2 * pairs.length);
      cosines = Arrays.copyOf(cosines, pairs.length / 2);
      sines = Arrays.copyOf(sines, pairs.length / 2);
    }
    pairs[2 * count] = one;
    pairs[2 * count + 1] = other;
    cosines[count] = cosine;
    sines[count++] = sine;
    if (count == MAX) {
      run();
    }
  }

  private void run() {
    workers.run(strips.length, strip -> run(strips[strip]));
    count = 0;
  }

  private void run(double[][] rows) {
    for (int i = 0; i < count; i++) {
      int one = pairs[2 * i];
      int other = pairs[2 * i + 1];
      if (i + 1 < count && pairs[2 * i + 2] == other && pairs[2 * i + 3] != one) {
        double[] third = rows[pairs[2 * i + 3]];
        RowArithmetic.rotate(
            rows[one], rows[other], third, cosines[i], sines[i], cosines[i + 1], sines[i + 1]);
        i++;
      } else {
        RowArithmetic.rotate(rows[one], rows[other], cosines[i], -sines[i]);
      }
    }
  }

  /** Returns a row after all rotations. */
  double[] row(int row) {
    if (count > 0) {
      run();
    }
    double[] whole = new double[columns];
    for (int s = 0; s < strips.length; s++) {
      System.arraycopy(strips[s][row], 0, whole, s * COLUMNS, strips[s][row].length);
    }
    return whole;
  }
}
