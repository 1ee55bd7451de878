package org.hlo4j.interpreter.reference.linalg;

import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.math.ComplexMath;

/**
 * The reduction of a complex matrix in Hessenberg form to Schur form, which is zero below the
 * diagonal. This is the QR algorithm with one shift, from the last row upwards, with the shifts and
 * the deflation tests of LAPACK's lahqr, so that eigenvalues come in the same order. The
 * subdiagonal is kept real.
 */
public final class ComplexSchur {
  private static final int EXCEPTIONAL_SHIFT_INTERVAL = 10;

  /** The maximum number of steps for an eigenvalue; a few are enough but for the rarest cases. */
  private static final int MAX_STEPS = 60;

  private final Matrix h;
  private final Matrix z;
  private final int low;
  private final Deflation deflation;

  /** The start of a QR step: the first two elements of a shifted column. */
  private record StartColumn(Complex above, double below) {}

  /**
   * Creates the reduction of rows low to high, exclusive, of h. h is overwritten with the form, and
   * the columns of z are rotated along with it.
   *
   * @param ulp the relative size below which a subdiagonal element is negligible beside its
   *     neighbours
   */
  public ComplexSchur(Matrix h, Matrix z, int low, int high, double ulp) {
    this.h = h;
    this.z = z;
    this.low = low;
    this.deflation = Deflation.of(ulp, high - low);
    for (int i = low + 1; i < high; i++) {
      makeSubdiagonalReal(i);
    }
  }

  /**
   * Finds the eigenvalues before high, with a limit check before each step. They end up on the
   * diagonal.
   *
   * @return 0, or the number of leading rows that did not converge within the maximum number of
   *     steps
   */
  public int run(int high, Runnable check) {
    int last = high - 1;
    while (last >= low) {
      int first = isolate(last, check);
      if (first < 0) {
        int k = deflation.leastRow(last, low, (i, j) -> size(h.get(i, j)));
        if (k < 0) {
          return last + 1;
        }
        h.set(k, k - 1, Complex.ZERO);
      } else {
        last = first - 1;
      }
    }
    return 0;
  }

  /** Does QR steps until the last row is isolated. Returns that row, or -1. */
  private int isolate(int last, Runnable check) {
    int first = low;
    for (int step = 1; step <= MAX_STEPS; step++) {
      first = split(first, last);
      if (first == last) {
        return first;
      }
      check.run();
      step(first, last, shift(first, last, step));
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
      h.set(k, k - 1, Complex.ZERO);
    }
    return k;
  }

  /** Returns whether h[k, k - 1] changes no eigenvalue by more than rounding does. */
  private boolean isNegligible(int k, int last) {
    double below = size(h.get(k, k - 1));
    double size = size(h.get(k - 1, k - 1)) + size(h.get(k, k));
    if (size == 0) {
      size += k - 2 >= low ? Math.abs(h.get(k - 1, k - 2).re()) : 0;
      size += k + 1 <= last ? Math.abs(h.get(k + 1, k).re()) : 0;
    }
    double above = size(h.get(k - 1, k));
    double end = size(h.get(k, k));
    double difference = size(h.get(k - 1, k - 1).minus(h.get(k, k)));
    return deflation.isNegligible(below, size, above, end, difference);
  }

  private static double size(Complex z) {
    return Math.abs(z.re()) + Math.abs(z.im());
  }

  /**
   * Returns the shift of a step. Every tenth step uses an exceptional shift, since the eigenvalue
   * of the last rows may lead into a cycle.
   */
  private Complex shift(int first, int last, int step) {
    if (step % (2 * EXCEPTIONAL_SHIFT_INTERVAL) == 0) {
      double size = 0.75 * Math.abs(h.get(last, last - 1).re());
      return h.get(last, last).plus(new Complex(size, 0));
    }
    if (step % EXCEPTIONAL_SHIFT_INTERVAL == 0) {
      double size = 0.75 * Math.abs(h.get(first + 1, first).re());
      return h.get(first, first).plus(new Complex(size, 0));
    }
    return nearestEigenvalue(last);
  }

  /** Returns the eigenvalue of the last two rows that is nearer to the last element. */
  private Complex nearestEigenvalue(int last) {
    Complex t = h.get(last, last);
    Complex u =
        ComplexMath.sqrt(h.get(last - 1, last)).times(ComplexMath.sqrt(h.get(last, last - 1)));
    if (u.isZero()) {
      return t;
    }
    Complex x = Eigen.scaled(h.get(last - 1, last - 1).minus(t), 0.5);
    double size = Math.max(size(u), size(x));
    Complex first = Eigen.divided(x, size);
    Complex second = Eigen.divided(u, size);
    Complex root = ComplexMath.sqrt(first.times(first).plus(second.times(second)));
    boolean isOpposite = first.re() * root.re() + first.im() * root.im() < 0;
    Complex nearer = Eigen.scaled(root, isOpposite ? -size : size);
    return t.minus(u.times(u.dividedBy(x.plus(nearer))));
  }

  /** Does one QR step of the rows from first to last, starting at the row where it takes effect. */
  private void step(int first, int last, Complex shift) {
    int start = last - 1;
    StartColumn startColumn = startColumn(start, shift);
    while (start > first && !canStart(start, startColumn)) {
      start--;
      startColumn = startColumn(start, shift);
    }
    for (int k = start; k < last; k++) {
      Limits.checkCurrent();
      Matrix v = new Matrix(2, 1);
      v.set(0, 0, k > start ? h.get(k, k - 1) : startColumn.above);
      v.set(1, 0, k > start ? h.get(k + 1, k - 1) : new Complex(startColumn.below, 0));
      Complex tau = Reflectors.reflect(v, 0, 0);
      if (k > start) {
        h.set(k, k - 1, v.get(0, 0));
        h.set(k + 1, k - 1, Complex.ZERO);
      }
      reflect(k, Math.min(k + 3, last + 1), tau, v.get(1, 0));
      if (k == start && start > first) {
        restoreRealSubdiagonal(start, last, phase(startColumn.above, tau));
      }
    }
    makeSubdiagonalReal(last);
  }

  private StartColumn startColumn(int m, Complex shift) {
    Complex above = h.get(m, m).minus(shift);
    double below = h.get(m + 1, m).re();
    double size = size(above) + Math.abs(below);
    return new StartColumn(Eigen.divided(above, size), below / size);
  }

  private boolean canStart(int m, StartColumn start) {
    double diagonalSum = size(h.get(m, m)) + size(h.get(m + 1, m + 1));
    return Math.abs(h.get(m, m - 1).re()) * Math.abs(start.below)
        <= deflation.ulp() * (size(start.above) * diagonalSum);
  }

  /**
   * Applies a reflection to rows k and k + 1, then to the columns; v is the second element of its
   * vector.
   */
  private void reflect(int k, int rows, Complex tau, Complex v) {
    for (int j = k; j < h.columns(); j++) {
      Complex sum = tau.conjugate().times(h.get(k, j).plus(v.conjugate().times(h.get(k + 1, j))));
      h.set(k, j, h.get(k, j).minus(sum));
      h.set(k + 1, j, h.get(k + 1, j).minus(sum.times(v)));
    }
    reflectColumns(h, rows, k, tau, v);
    reflectColumns(z, z.rows(), k, tau, v);
  }

  private static void reflectColumns(Matrix a, int rows, int k, Complex tau, Complex v) {
    for (int i = 0; i < rows; i++) {
      Complex sum = tau.times(a.get(i, k).plus(v.times(a.get(i, k + 1))));
      a.set(i, k, a.get(i, k).minus(sum));
      a.set(i, k + 1, a.get(i, k + 1).minus(sum.times(v.conjugate())));
    }
  }

  /** Returns the phase of 1 - tau, which is alpha / beta, also where tau rounds to 1. */
  private static Complex phase(Complex alpha, Complex tau) {
    if (tau.isZero() || alpha.isZero()) {
      return Complex.ONE;
    }
    return Eigen.scaled(alpha.phase(), -Math.copySign(1, alpha.re()));
  }

  /**
   * Makes the subdiagonal real again after a step that started in between and left a factor of this
   * phase on h[start, start - 1].
   */
  private void restoreRealSubdiagonal(int start, int last, Complex phase) {
    h.set(start + 1, start, h.get(start + 1, start).times(phase.conjugate()));
    if (start + 2 <= last) {
      h.set(start + 2, start + 1, h.get(start + 2, start + 1).times(phase));
    }
    for (int j = start; j <= last; j++) {
      if (j != start + 1) {
        scaleRow(j, j + 1, phase);
        scaleColumn(h, j, j, phase.conjugate());
        scaleColumn(z, z.rows(), j, phase.conjugate());
      }
    }
  }

  /** Scales row i and its column by a phase that makes the subdiagonal element real. */
  private void makeSubdiagonalReal(int i) {
    Complex below = h.get(i, i - 1);
    if (below.im() == 0) {
      return;
    }
    Complex phase = below.phase();
    h.set(i, i - 1, new Complex(below.abs(), 0));
    scaleRow(i, i + 1, phase.conjugate());
    scaleColumn(h, i, i, phase);
    if (i + 1 < h.rows()) {
      h.set(i + 1, i, h.get(i + 1, i).times(phase));
    }
    scaleColumn(z, z.rows(), i, phase);
  }

  private void scaleRow(int i, int fromColumn, Complex factor) {
    for (int j = fromColumn; j < h.columns(); j++) {
      h.set(i, j, h.get(i, j).times(factor));
    }
  }

  private static void scaleColumn(Matrix a, int rows, int j, Complex factor) {
    for (int i = 0; i < rows; i++) {
      a.set(i, j, a.get(i, j).times(factor));
    }
  }
}
