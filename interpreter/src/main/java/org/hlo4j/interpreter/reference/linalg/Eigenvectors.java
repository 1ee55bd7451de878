package org.hlo4j.interpreter.reference.linalg;

import com.google.common.collect.Lists;
import java.util.Arrays;
import java.util.List;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.math.Complex;

/**
 * The eigenvectors of a matrix in Schur form, by back substitution. Where eigenvalues coincide, a
 * small number replaces their difference, as in LAPACK's trevc, so that the vectors of a defective
 * matrix come out nearly the same.
 */
final class Eigenvectors {
  private static final double ULP = 0x1p-52;

  /** The size beyond which a vector is scaled down, so that nothing overflows. */
  private static final double LARGE = 0x1p300;

  private final Matrix t;
  private final Complex[] x;

  private Eigenvectors(Matrix t) {
    this.t = t;
    this.x = new Complex[t.rows()];
    Arrays.fill(x, Complex.ZERO);
  }

  /** Returns columns v with {@code t v = v value}, multiplied by a matrix. */
  static Matrix right(Matrix t, List<Complex> values, Matrix z, Execution execution) {
    return solve(t, values, z, Complex.ONE, execution);
  }

  /** Returns columns u with {@code u* t = value u*}, multiplied by a matrix. */
  static Matrix left(Matrix t, List<Complex> values, Matrix z, Execution execution) {
    // u is a right eigenvector of t*, which is in Schur form too if rows and columns are reversed
    int n = values.size();
    List<Complex> reversed = Lists.reverse(values).stream().map(Complex::conjugate).toList();
    Matrix columns = new Matrix(n, n);
    for (int j = 0; j < n; j++) {
      for (int i = 0; i < n; i++) {
        columns.set(i, n - 1 - j, z.get(i, j));
      }
    }
    Matrix rotated = t.adjoint().reversed();
    Matrix vectors = solve(rotated, reversed, columns, new Complex(0, -1), execution);
    for (int j = 0; j < n / 2; j++) {
      vectors.swapColumns(j, n - 1 - j);
    }
    return vectors;
  }

  /**
   * Solves for all vectors. Of a block of two rows only the first is solved for, since the other is
   * its conjugate.
   */
  private static Matrix solve(
      Matrix t, List<Complex> values, Matrix z, Complex phase, Execution execution) {
    Matrix vectors = new Matrix(t.rows(), t.rows());
    for (int j = 0; j < values.size(); j++) {
      execution.checkLimits();
      Eigenvectors one = new Eigenvectors(t);
      if (one.isBlock(j - 1)) {
        for (int i = 0; i < t.rows(); i++) {
          vectors.set(i, j, vectors.get(i, j - 1).conjugate());
        }
      } else {
        one.begin(j, values.get(j), phase);
        one.substitute(j, values.get(j));
        one.store(z, vectors, j);
      }
    }
    return vectors;
  }

  private boolean isBlock(int p) {
    return p >= 0 && p + 1 < x.length && !t.get(p + 1, p).isZero();
  }

  /** Solves for the elements before row top. */
  private void substitute(int top, Complex value) {
    double least =
        Math.max(ULP * (Math.abs(value.re()) + Math.abs(value.im())), absoluteMinPivot());
    for (int k = top - 1; k >= 0; k--) {
      if (isBlock(k - 1)) {
        solveBlock(--k, value, least);
      } else {
        Complex pivot = t.get(k, k).minus(value);
        x[k] = quotient(rightHandSide(k, k + 1), atLeast(pivot, least));
      }
    }
  }

  private double absoluteMinPivot() {
    return Double.MIN_NORMAL * (x.length / ULP);
  }

  private static Complex atLeast(Complex pivot, double least) {
    return Math.abs(pivot.re()) + Math.abs(pivot.im()) < least ? new Complex(least, 0) : pivot;
  }

  /**
   * Sets the element of row p, and in a block of two rows, whose diagonal elements are equal, also
   * that of the next row.
   */
  private void begin(int p, Complex value, Complex phase) {
    if (!isBlock(p)) {
      x[p] = Complex.ONE;
      return;
    }
    double above = t.get(p, p + 1).re();
    double below = t.get(p + 1, p).re();
    if (Math.abs(above) >= Math.abs(below)) {
      x[p] = phase;
      x[p + 1] = new Complex(0, value.im() / above).times(phase);
    } else {
      x[p] = new Complex(-value.im() / below, 0).times(phase);
      x[p + 1] = phase.timesI();
    }
  }

  /**
   * Returns the right-hand side of row k: minus the products with the known elements from a column
   * on.
   */
  private Complex rightHandSide(int k, int fromColumn) {
    Limits.checkCurrent();
    Complex sum = Complex.ZERO;
    for (int j = fromColumn; j < x.length; j++) {
      sum = sum.minus(t.get(k, j).times(x[j]));
    }
    return sum;
  }

  /** Solves for the two rows from p on, with partial pivoting. */
  private void solveBlock(int p, Complex value, double least) {
    int q = p + 1;
    boolean isSwapped = t.get(q, p).largestPart() > t.get(p, p).minus(value).largestPart();
    Complex pivot = isSwapped ? t.get(q, p) : t.get(p, p).minus(value);
    Complex offDiagonal = isSwapped ? t.get(q, q).minus(value) : t.get(p, q);
    Complex factor = (isSwapped ? t.get(p, p).minus(value) : t.get(q, p)).dividedBy(pivot);
    Complex other = isSwapped ? t.get(p, q) : t.get(q, q).minus(value);
    Complex first = rightHandSide(isSwapped ? q : p, q + 1);
    Complex second = rightHandSide(isSwapped ? p : q, q + 1).minus(factor.times(first));
    x[q] = quotient(second, atLeast(other.minus(factor.times(offDiagonal)), least));
    x[p] = quotient(rightHandSide(isSwapped ? q : p, q + 1).minus(offDiagonal.times(x[q])), pivot);
  }

  /**
   * Returns a quotient. If it would be too large, all known elements of x are scaled down with it.
   */
  private Complex quotient(Complex dividend, Complex divisor) {
    double most = LARGE * Math.min(1, divisor.largestPart());
    if (dividend.largestPart() <= most) {
      return dividend.dividedBy(divisor);
    }
    double greatest = dividend.largestPart();
    for (int i = 0; i < x.length; i++) {
      x[i] = Eigen.scaled(x[i], most / greatest);
    }
    return Eigen.scaled(Eigen.divided(dividend, greatest), most).dividedBy(divisor);
  }

  /** Stores z x, scaled to a length of about 1, as a column of the result. */
  private void store(Matrix z, Matrix result, int column) {
    double greatest = 0;
    for (Complex element : x) {
      greatest = Math.max(greatest, element.largestPart());
    }
    ComplexArray scaled = new ComplexArray(x.length);
    for (int j = 0; j < x.length; j++) {
      scaled.set(j, Eigen.divided(x[j], greatest));
    }
    for (int i = 0; i < x.length; i++) {
      Limits.checkCurrent();
      result.set(i, column, z.plusProducts(Complex.ZERO, i, 0, scaled, x.length));
    }
  }
}
