package org.hlo4j.interpreter.compiled.moves;

import java.util.Arrays;

/**
 * A {@link Transform} of several lines at once: element k of all of them is row k. Each step is a
 * loop over the lines, so that C2 makes vectors of all stages.
 */
final class TransformRows {
  private final Transform plan;
  private final double[][] paddedRe;
  private final double[][] paddedIm;

  TransformRows(Transform plan, int width) {
    this.plan = plan;
    this.paddedRe = new double[plan.convolvedLength()][width];
    this.paddedIm = new double[plan.convolvedLength()][width];
  }

  /** In place. */
  void apply(double[][] re, double[][] im) {
    if (plan.inverse) {
      conjugate(re, im, 1);
    }
    if (plan.convolvedLength() == 0) {
      halve(re, im);
    } else {
      convolve(re, im);
    }
    if (plan.inverse) {
      conjugate(re, im, plan.length);
    }
  }

  private void conjugate(double[][] re, double[][] im, double divisor) {
    for (int k = 0; k < plan.length; k++) {
      divide(re[k], divisor);
      divide(im[k], -divisor);
    }
  }

  private static void divide(double[] row, double divisor) {
    for (int i = 0; i < row.length; i++) {
      row[i] /= divisor;
    }
  }

  /** {@code to = from * (a + i b)} */
  private static void multiply(
      double[] fromRe, double[] fromIm, double a, double b, double[] toRe, double[] toIm) {
    for (int i = 0; i < toRe.length; i++) {
      double re = fromRe[i] * a - fromIm[i] * b;
      toIm[i] = fromRe[i] * b + fromIm[i] * a;
      toRe[i] = re;
    }
  }

  private void convolve(double[][] re, double[][] im) {
    double[][] a = paddedRe;
    double[][] b = paddedIm;
    for (int k = 0; k < plan.powerOfTwo; k++) {
      if (k < plan.length) {
        multiply(re[k], im[k], plan.chirpRe[k], plan.chirpIm[k], a[k], b[k]);
      } else {
        Arrays.fill(a[k], 0);
        Arrays.fill(b[k], 0);
      }
    }
    halve(a, b);
    for (int k = 0; k < plan.powerOfTwo; k++) {
      multiply(a[k], b[k], plan.transformedRe[k], plan.transformedIm[k], a[k], b[k]);
      divide(b[k], -1);
    }
    halve(a, b);
    for (int k = 0; k < plan.length; k++) {
      divide(a[k], plan.powerOfTwo);
      divide(b[k], -plan.powerOfTwo);
      multiply(a[k], b[k], plan.chirpRe[k], plan.chirpIm[k], re[k], im[k]);
    }
  }

  private void halve(double[][] re, double[][] im) {
    int count = plan.powerOfTwo;
    int unused = Integer.numberOfLeadingZeros(count) + 1;
    for (int k = 0; k < count; k++) {
      int reversed = unused == 32 ? 0 : Integer.reverse(k) >>> unused;
      if (reversed > k) {
        swap(re, k, reversed);
        swap(im, k, reversed);
      }
    }
    for (int half = 1; half < count; half *= 2) {
      for (int start = 0; start < count; start += 2 * half) {
        for (int k = 0; k < half; k++) {
          int lower = start + k;
          int upper = lower + half;
          double rootRe = plan.rootRe[half + k];
          double rootIm = plan.rootIm[half + k];
          join(re[lower], im[lower], re[upper], im[upper], rootRe, rootIm);
        }
      }
    }
  }

  private static void swap(double[][] rows, int a, int b) {
    double[] moved = rows[a];
    rows[a] = rows[b];
    rows[b] = moved;
  }

  private static void join(
      double[] lowerRe,
      double[] lowerIm,
      double[] upperRe,
      double[] upperIm,
      double rootRe,
      double rootIm) {
    for (int i = 0; i < lowerRe.length; i++) {
      double oddRe = upperRe[i] * rootRe - upperIm[i] * rootIm;
      double oddIm = upperRe[i] * rootIm + upperIm[i] * rootRe;
      double evenRe = lowerRe[i];
      double evenIm = lowerIm[i];
      lowerRe[i] = evenRe + oddRe;
      lowerIm[i] = evenIm + oddIm;
      upperRe[i] = evenRe - oddRe;
      upperIm[i] = evenIm - oddIm;
    }
  }
}
