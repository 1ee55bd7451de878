package org.hlo4j.interpreter.reference.linalg;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.Collections;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.math.Complex;

/**
 * The Schur form of a matrix: {@code a = z t z*}, with t zero below the diagonal, except, if a is
 * real, for blocks of two rows for pairs of complex eigenvalues.
 *
 * @param t the form
 * @param z the vectors, orthonormal columns
 * @param values the eigenvalues, in the order of the diagonal of t
 * @param info 0, or the number of leading eigenvalues that did not converge
 */
record SchurForm(Matrix t, Matrix z, ImmutableList<Complex> values, int info) {
  /**
   * Computes the form of a balanced matrix, which is overwritten. Deflation uses the precision of
   * the element type: iterations end when LAPACK's, in numbers of that type, do, so that
   * eigenvalues come in the same order.
   */
  static SchurForm of(Matrix a, Balance balance, ElementType type, Execution execution) {
    Complex[] taus = Hessenberg.reduce(a, balance.low(), balance.high(), execution);
    Matrix z = Hessenberg.formQ(a, taus, execution);
    for (int i = 2; i < a.rows(); i++) {
      for (int j = 0; j < i - 1; j++) {
        a.set(i, j, Complex.ZERO);
      }
    }
    double ulp = Math.scalb(1.0, -type.componentType().mantissaBits());
    return type.isComplex()
        ? complex(a, z, balance, ulp, execution)
        : real(a, z, balance, ulp, execution);
  }

  /** Returns the form of a matrix that is not finite: all NaN. */
  static SchurForm ofNonFinite(int rows, int info) {
    ImmutableList<Complex> values = ImmutableList.copyOf(Collections.nCopies(rows, Complex.NAN));
    Matrix none = Matrix.filled(rows, Complex.NAN);
    return new SchurForm(none, none, values, info);
  }

  /** Returns the eigenvalues of the matrix times a power of two. */
  ImmutableList<Complex> valuesScaled(int exponent) {
    return values.stream().map(value -> value.scaled(exponent)).collect(toImmutableList());
  }

  /** Returns the form of the matrix times a power of two. */
  SchurForm scaled(int exponent) {
    return new SchurForm(t.scaled(exponent), z, valuesScaled(exponent), info);
  }

  private static SchurForm complex(
      Matrix a, Matrix z, Balance balance, double ulp, Execution execution) {
    int info =
        new ComplexSchur(a, z, balance.low(), balance.high(), ulp)
            .run(balance.high(), execution::checkLimits);
    ImmutableList<Complex> values =
        IntStream.range(0, a.rows()).mapToObj(i -> a.get(i, i)).collect(toImmutableList());
    return new SchurForm(a, z, values, info);
  }

  private static SchurForm real(
      Matrix a, Matrix z, Balance balance, double ulp, Execution execution) {
    double[][] t = realParts(a);
    double[][] vectors = realParts(z);
    RealSchur schur = new RealSchur(t, vectors, balance.low(), balance.high(), ulp);
    int info = schur.run(balance.high(), execution::checkLimits);
    ImmutableList<Complex> values =
        IntStream.range(0, t.length)
            .mapToObj(i -> new Complex(schur.re(i), schur.im(i)))
            .collect(toImmutableList());
    return new SchurForm(matrix(t), matrix(vectors), values, info);
  }

  private static double[][] realParts(Matrix a) {
    double[][] parts = new double[a.rows()][a.columns()];
    for (int i = 0; i < a.rows(); i++) {
      for (int j = 0; j < a.columns(); j++) {
        parts[i][j] = a.get(i, j).re();
      }
    }
    return parts;
  }

  private static Matrix matrix(double[][] parts) {
    Matrix a = new Matrix(parts.length, parts.length);
    for (int i = 0; i < parts.length; i++) {
      for (int j = 0; j < parts.length; j++) {
        a.set(i, j, new Complex(parts[i][j], 0));
      }
    }
    return a;
  }
}
