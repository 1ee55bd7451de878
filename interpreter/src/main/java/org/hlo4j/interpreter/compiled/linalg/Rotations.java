package org.hlo4j.interpreter.compiled.linalg;

import java.util.Arrays;
import org.hlo4j.interpreter.engine.Workers;
import org.hlo4j.interpreter.math.PlaneRotation;

/**
 * Rotations of pairs of rows of a matrix. They are collected and then applied to all rows of one
 * strip of columns at a time, so that the strip stays in the cache. Threads share the strips.
 */
final class Rotations implements PlaneRotation.Receiver {
  private static final int STRIP = 64;
  private static final int MAX = 1 << 14;

  private final double[][] rows;
  private final int columns;
  private final Workers workers;
  private int[] pairs = new int[64];
  private double[] angles = new double[64];
  private int count;

  /** Creates rotations of a matrix. If it has no columns, rotations are ignored. */
  Rotations(double[][] rows, Workers workers) {
    this.rows = rows;
    this.columns = rows[0].length;
    this.workers = workers;
  }

  @Override
  public void add(int one, int other, double cosine, double sine) {
    if (columns == 0) {
      return;
    }
    if (2 * count == pairs.length) {
      pairs = Arrays.copyOf(pairs, 2 * pairs.length);
      angles = Arrays.copyOf(angles, pairs.length);
    }
    pairs[2 * count] = one;
    pairs[2 * count + 1] = other;
    angles[2 * count] = cosine;
    angles[2 * count++ + 1] = sine;
    if (count == MAX) {
      apply();
    }
  }

  private void apply() {
    workers.run(
        Math.ceilDiv(columns, STRIP),
        strip -> apply(strip * STRIP, Math.min(columns, (strip + 1) * STRIP)));
    count = 0;
  }

  private void apply(int first, int end) {
    for (int i = 0; i < 2 * count; i += 2) {
      double[] one = rows[pairs[i]];
      double[] other = rows[pairs[i + 1]];
      boolean isFollowed =
          i + 2 < 2 * count && pairs[i + 2] == pairs[i + 1] && pairs[i + 3] != pairs[i];
      if (isFollowed) {
        double[] third = rows[pairs[i + 3]];
        RowArithmetic.rotate(
            one, other, third, angles[i], angles[i + 1], angles[i + 2], angles[i + 3], first, end);
        i += 2;
      } else {
        RowArithmetic.rotate(one, other, angles[i], -angles[i + 1], first, end);
      }
    }
  }

  /** Returns the rows after all rotations. */
  double[][] rows() {
    if (count > 0) {
      apply();
    }
    return rows;
  }
}
