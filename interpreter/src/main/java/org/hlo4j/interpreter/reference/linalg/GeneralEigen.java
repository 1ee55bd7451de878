package org.hlo4j.interpreter.reference.linalg;

import com.google.common.collect.ImmutableList;
import java.util.Collections;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.LapackCall;
import org.hlo4j.interpreter.math.Complex;

/**
 * Eigenvalues and eigenvectors of general square matrices, in double, rounded once: {@code a v = v
 * w} and {@code u* a = w u*}.
 *
 * @param values the eigenvalues w; conjugate pairs are adjacent, with the positive imaginary part
 *     first
 * @param left the left eigenvectors u, as columns of length 1
 * @param right the right eigenvectors v
 * @param info 0, the number of leading eigenvalues that did not converge, or a negative error code
 */
record GeneralEigen(ImmutableList<Complex> values, Matrix left, Matrix right, int info) {
  /** The info of a matrix that is not finite, as in JAX: the fourth argument is invalid. */
  private static final int NOT_FINITE = -4;

  /**
   * geev: the eigenvalues, of real matrices as real and imaginary parts; left and right
   * eigenvectors, or zeros if they are not requested; and the info.
   */
  static Literal geev(HloInstruction call, List<Literal> in, Execution execution) {
    Factorizations.requireShapes(call, in, 1, GeneralEigen::result);
    Eigen.requireSquare(call, in.get(0));
    boolean isLeft = LapackCall.flag(call, "compute_left", "NV") == 'V';
    boolean isRight = LapackCall.flag(call, "compute_right", "NV") == 'V';
    Shape.Tuple shape = (Shape.Tuple) result(in.get(0).arrayShape());
    List<LiteralBuilder> results =
        shape.elements().stream().map(part -> new LiteralBuilder((Shape.Array) part)).toList();
    boolean isComplex = Factorizations.isComplex(in);
    for (int k = 0; k < Matrix.count(in.get(0)); k++) {
      Matrix a = Matrix.read(in.get(0), k);
      GeneralEigen found =
          Double.isFinite(a.greatestPart())
              ? of(a, in.get(0).elementType(), isLeft, isRight, execution)
              : ofNonFinite(a.rows());
      found.write(results, k, isComplex);
    }
    return Literal.tuple(results.stream().map(LiteralBuilder::build).toList());
  }

  private static Shape result(Shape.Array a) {
    ElementType type = a.elementType();
    Shape.Array values = Factorizations.vectors(a, type, a.size(a.rank() - 1));
    if (type.isComplex()) {
      return Shape.tuple(values, a, a, Lapack.info(a));
    }
    Shape.Array vectors =
        a.withElementType(type == ElementType.F64 ? ElementType.C128 : ElementType.C64);
    return Shape.tuple(values, values, vectors, vectors, Lapack.info(a));
  }

  private static GeneralEigen ofNonFinite(int rows) {
    ImmutableList<Complex> values = ImmutableList.copyOf(Collections.nCopies(rows, Complex.NAN));
    Matrix vectors = Matrix.filled(rows, Complex.NAN);
    return new GeneralEigen(values, vectors, vectors, NOT_FINITE);
  }

  private static GeneralEigen of(
      Matrix a, ElementType type, boolean isLeft, boolean isRight, Execution execution) {
    int exponent = SchurForm.exponent(a);
    Matrix balanced = a.scaled(-exponent);
    Balance balance = Balance.permuteAndScale(balanced);
    SchurForm form = SchurForm.of(balanced, balance, type, execution);
    ImmutableList<Complex> values = form.valuesScaled(exponent);
    Matrix left = new Matrix(a.rows(), a.rows());
    Matrix right = new Matrix(a.rows(), a.rows());
    if (isLeft && form.info() == 0) {
      left = Eigenvectors.left(form.t(), form.values(), form.z(), execution);
      balance.backTransform(left, true);
      normalize(left, form.values(), type.isComplex());
    }
    if (isRight && form.info() == 0) {
      right = Eigenvectors.right(form.t(), form.values(), form.z(), execution);
      balance.backTransform(right, false);
      normalize(right, form.values(), type.isComplex());
    }
    return new GeneralEigen(values, left, right, form.info());
  }

  /**
   * Scales columns to length 1. The largest element of vectors that are not real is made real. The
   * values are those of the scaled matrix, whose imaginary parts have not underflowed.
   */
  private static void normalize(Matrix vectors, List<Complex> values, boolean isComplex) {
    for (int j = 0; j < vectors.columns(); j++) {
      int largest = 0;
      double length = 0;
      double unit = greatestOfColumn(vectors, j);
      for (int i = 0; i < vectors.rows(); i++) {
        vectors.set(i, j, Eigen.divided(vectors.get(i, j), unit));
        double size = vectors.get(i, j).abs();
        length = Math.hypot(length, size);
        largest = size > vectors.get(largest, j).abs() ? i : largest;
      }
      Complex pivot = vectors.get(largest, j);
      boolean isRotated = isComplex || values.get(j).im() != 0;
      double sign = isComplex || pivot.re() >= 0 ? 1 : -1;
      Complex phase = isRotated ? Eigen.scaled(pivot.conjugate().phase(), sign) : Complex.ONE;
      for (int i = 0; i < vectors.rows(); i++) {
        Complex rotated = Eigen.divided(vectors.get(i, j), length).times(phase);
        vectors.set(i, j, i == largest ? new Complex(rotated.re(), 0) : rotated);
      }
    }
  }

  private static double greatestOfColumn(Matrix a, int j) {
    double greatest = 0;
    for (int i = 0; i < a.rows(); i++) {
      greatest = Math.max(greatest, a.get(i, j).largestPart());
    }
    return greatest;
  }

  private void write(List<LiteralBuilder> results, int k, boolean isComplex) {
    int count = results.size();
    for (int i = 0; i < values.size(); i++) {
      Factorizations.store(values.get(i), results.get(0), k * values.size() + i, isComplex);
      if (!isComplex) {
        results.get(1).setDouble(k * values.size() + i, values.get(i).im());
      }
    }
    left.write(results.get(count - 3), k, true);
    right.write(results.get(count - 2), k, true);
    results.get(count - 1).setLong(k, info);
  }
}
