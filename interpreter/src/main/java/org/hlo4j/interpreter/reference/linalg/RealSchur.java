package org.hlo4j.interpreter.reference.linalg;

import org.hlo4j.interpreter.engine.Limits;

/**
 * The reduction of a real matrix in Hessenberg form to real Schur form, which is zero below the
 * diagonal except for blocks of two rows for pairs of complex eigenvalues. This is Francis's QR
 * algorithm with two shifts at once, from the last row upwards, with the shifts and the deflation
 * tests of LAPACK's lahqr, so that eigenvalues come in the same order.
 */
public final class RealSchur {
  private static final int EXCEPTIONAL_SHIFT_INTERVAL = 10;

  /** The maximum number of steps for an eigenvalue; a few are enough but for the rarest cases. */
  private static final int MAX_STEPS = 60;

  /** The ratio of two elements below which its products might underflow. */
  private static final double MIN_FACTOR = 0x1p-600;

  /** The two shifts of a step: both real, or complex conjugates. */
  private record Shifts(double re1, double re2, double im) {
    /**
     * Returns the eigenvalues of (a b) (c d) if they are complex, else twice the one that is nearer
     * to d.
     */
    static Shifts of(double a, double b, double c, double d) {
      double unit = Math.abs(a) + Math.abs(b) + Math.abs(c) + Math.abs(d);
      if (unit == 0) {
        return new Shifts(0, 0, 0);
      }
      double mean = (a / unit + d / unit) / 2;
      double determinant = (a / unit - mean) * (d / unit - mean) - b / unit * (c / unit);
      double root = Math.sqrt(Math.abs(determinant));
      if (determinant >= 0) {
        return new Shifts(mean * unit, mean * unit, root * unit);
      }
      double last = d / unit;
      boolean isFirst = Math.abs(mean + root - last) <= Math.abs(mean - root - last);
      double nearer = (isFirst ? mean + root : mean - root) * unit;
      return new Shifts(nearer, nearer, 0);
    }
  }

  private final double[][] h;
  private final double[][] z;
  private final int low;
  private final double[] re;
  private final double[] im;
  private final Deflation deflation;
  private final double[] v = new double[3];

  /**
   * Creates the reduction of rows low to high, exclusive, of h. h is overwritten with the form, and
   * the columns of z are rotated along with it.
   *
   * @param ulp the relative size below which a subdiagonal element is negligible beside its
   *     neighbours
   */
  public RealSchur(double[][] h, double[][] z, int low, int high, double ulp) {
    this.h = h;
    this.z = z;
    this.low = low;
    this.deflation = Deflation.of(ulp, high - low);
    this.re = new double[h.length];
    this.im = new double[h.length];
    for (int i = 0; i < h.length; i++) {
      re[i] = h[i][i];
    }
  }

  public double re(int i) {
    return re[i];
  }

  public double im(int i) {
    return im[i];
  }

  /**
   * Finds the eigenvalues before high, with a limit check before each step.
   *
   * @return 0, or the number of leading rows that did not converge within the maximum number of
   *     steps
   */
  public int run(int high, Runnable check) {
    int last = high - 1;
    while (last >= low) {
      int first = isolate(last, check);
      if (first < 0) {
        int k = deflation.leastRow(last, low, (i, j) -> Math.abs(h[i][j]));
        if (k < 0) {
          return last + 1;
        }
        h[k][k - 1] = 0;
      } else if (first == last) {
        re[last] = h[last][last];
        last--;
      } else {
        standardize(first);
        last = first - 1;
      }
    }
    return 0;
  }

  /**
   * Does QR steps until the last one or two rows are isolated. Returns the first of them, or -1.
   */
  private int isolate(int last, Runnable check) {
    int first = low;
    for (int step = 1; step <= MAX_STEPS; step++) {
      first = split(first, last);
      if (first >= last - 1) {
        return first;
      }
      check.run();
      step(first, last, shifts(first, last, step));
    }
    return -1;
  }

  /** Returns the last row, not before first, whose subdiagonal element is negligible, or first. */
  private int split(int first, int last) {
    int k = last;
    while (k > first && !isNegligible(k, last)) {
      k--;
    }
    if (k > low) {
      h[k][k - 1] = 0;
    }
    return k;
  }

  /** Returns whether h[k, k - 1] changes no eigenvalue by more than rounding does. */
  private boolean isNegligible(int k, int last) {
    double below = Math.abs(h[k][k - 1]);
    double size = Math.abs(h[k - 1][k - 1]) + Math.abs(h[k][k]);
    if (size == 0) {
      size += k - 2 >= low ? Math.abs(h[k - 1][k - 2]) : 0;
      size += k + 1 <= last ? Math.abs(h[k + 1][k]) : 0;
    }
    double above = Math.abs(h[k - 1][k]);
    double end = Math.abs(h[k][k]);
    double difference = Math.abs(h[k - 1][k - 1] - h[k][k]);
    return deflation.isNegligible(below, size, above, end, difference);
  }

  /**
   * Returns the shifts of a step. Every tenth step uses exceptional shifts, since the eigenvalues
   * of the last rows may lead into a cycle.
   */
  private Shifts shifts(int first, int last, int step) {
    if (step % (2 * EXCEPTIONAL_SHIFT_INTERVAL) == 0) {
      double size = Math.abs(h[last][last - 1]) + Math.abs(h[last - 1][last - 2]);
      return exceptional(h[last][last], size);
    }
    if (step % EXCEPTIONAL_SHIFT_INTERVAL == 0) {
      double size = Math.abs(h[first + 1][first]) + Math.abs(h[first + 2][first + 1]);
      return exceptional(h[first][first], size);
    }
    return Shifts.of(h[last - 1][last - 1], h[last - 1][last], h[last][last - 1], h[last][last]);
  }

  private static Shifts exceptional(double near, double size) {
    double diagonal = 0.75 * size + near;
    return Shifts.of(diagonal, -0.4375 * size, size, diagonal);
  }

  /** Does one QR step of the rows from first to last, starting at the row where it takes effect. */
  private void step(int first, int last, Shifts shifts) {
    int start = last - 2;
    while (!tryStartAt(start, first, shifts)) {
      start--;
    }
    for (int k = start; k < last; k++) {
      Limits.checkCurrent();
      int size = Math.min(3, last - k + 1);
      for (int i = 0; i < size && k > start; i++) {
        v[i] = h[k + i][k - 1];
      }
      double tau = reflect(size);
      if (k > start) {
        h[k][k - 1] = v[0];
        for (int i = 1; i < size; i++) {
          h[k + i][k - 1] = 0;
        }
      } else if (start > first) {
        h[k][k - 1] *= 1 - tau;
      }
      v[0] = 1;
      reflectRows(k, size, tau);
      reflectColumns(h, Math.min(k + 4, last + 1), k, size, tau);
      reflectColumns(z, z.length, k, size, tau);
    }
  }

  /**
   * Fills v with the first column of the shifted product from row m on. Returns whether a step can
   * start there.
   */
  private boolean tryStartAt(int m, int first, Shifts shifts) {
    double below = Math.abs(h[m + 1][m]);
    double size = Math.abs(h[m][m] - shifts.re2) + Math.abs(shifts.im) + below;
    double sum = h[m][m] + h[m + 1][m + 1] - shifts.re1 - shifts.re2;
    v[0] =
        product(h[m + 1][m], h[m][m + 1], size)
            + (h[m][m] - shifts.re1) * ((h[m][m] - shifts.re2) / size)
            + shifts.im * (shifts.im / size);
    v[1] = product(h[m + 1][m], sum, size);
    v[2] = product(h[m + 1][m], h[m + 2][m + 1], size);
    double length = Math.abs(v[0]) + Math.abs(v[1]) + Math.abs(v[2]);
    for (int i = 0; i < 3; i++) {
      v[i] = length == 0 ? 0 : v[i] / length; // where all of it underflows, the step does nothing
    }
    if (m == first) {
      return true;
    }
    double diagonalSum = Math.abs(h[m - 1][m - 1]) + Math.abs(h[m][m]) + Math.abs(h[m + 1][m + 1]);
    return Math.abs(h[m][m - 1]) * (Math.abs(v[1]) + Math.abs(v[2]))
        <= deflation.ulp() * Math.abs(v[0]) * diagonalSum;
  }

  /** Returns {@code below * x / size}, where below is at most the size and may be far less. */
  private static double product(double below, double x, double size) {
    double factor = below / size;
    return Math.abs(factor) < MIN_FACTOR ? below * (x / size) : factor * x;
  }

  /**
   * Replaces v by its Householder vector, except for the first element, which becomes the reflected
   * value. Returns tau. The elements are divided by a power of two first, so that those of small
   * numbers have all their digits: else the reflection would not be orthogonal.
   */
  private double reflect(int size) {
    double below = Math.max(Math.abs(v[1]), size == 3 ? Math.abs(v[2]) : 0);
    if (below == 0) {
      return 0;
    }
    int exponent = Math.getExponent(Math.max(below, Math.abs(v[0])));
    double alpha = Math.scalb(v[0], -exponent);
    double squares = alpha * alpha;
    for (int i = 1; i < size; i++) {
      v[i] = Math.scalb(v[i], -exponent);
      squares += v[i] * v[i];
    }
    double beta = -Math.copySign(Math.sqrt(squares), alpha);
    for (int i = 1; i < size; i++) {
      v[i] /= alpha - beta;
    }
    v[0] = Math.scalb(beta, exponent);
    return (beta - alpha) / beta;
  }

  private void reflectRows(int k, int size, double tau) {
    for (int j = k; j < h.length; j++) {
      double sum = 0;
      for (int i = 0; i < size; i++) {
        sum += v[i] * h[k + i][j];
      }
      for (int i = 0; i < size; i++) {
        h[k + i][j] -= sum * tau * v[i];
      }
    }
  }

  private void reflectColumns(double[][] a, int rows, int k, int size, double tau) {
    for (int i = 0; i < rows; i++) {
      double sum = 0;
      for (int j = 0; j < size; j++) {
        sum += v[j] * a[i][k + j];
      }
      for (int j = 0; j < size; j++) {
        a[i][k + j] -= sum * tau * v[j];
      }
    }
  }

  /** Brings the block of two rows from p on to the standard form. */
  private void standardize(int p) {
    int q = p + 1;
    StandardBlock block = StandardBlock.of(h[p][p], h[p][q], h[q][p], h[q][q]);
    for (int j = q + 1; j < h.length; j++) {
      double x = h[p][j];
      h[p][j] = block.cosine() * x + block.sine() * h[q][j];
      h[q][j] = block.cosine() * h[q][j] - block.sine() * x;
    }
    mixColumns(h, p, p, block);
    mixColumns(z, z.length, p, block);
    h[p][p] = re[p] = block.a();
    h[p][q] = block.b();
    h[q][p] = block.c();
    h[q][q] = re[q] = block.d();
    im[p] = block.imaginary();
    im[q] = 0 - im[p];
  }

  private static void mixColumns(double[][] a, int rows, int p, StandardBlock block) {
    for (int i = 0; i < rows; i++) {
      double x = a[i][p];
      a[i][p] = block.cosine() * x + block.sine() * a[i][p + 1];
      a[i][p + 1] = block.cosine() * a[i][p + 1] - block.sine() * x;
    }
  }
}
