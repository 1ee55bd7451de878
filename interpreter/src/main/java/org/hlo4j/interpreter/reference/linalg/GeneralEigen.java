package org.hlo4j.interpreter.reference.linalg;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.LapackCall;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.math.RealMath;

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
    boolean isComplex = Factorizations.isComplex(in);
    return Literal.tuple(
        computed(
            call,
            in.get(0),
            (Shape.Tuple) result(in.get(0).arrayShape()),
            execution,
            (found, results, k) -> found.write(results, k, isComplex)));
  }

  /**
   * geev of cuSOLVER: the matrices, which the library overwrites; the eigenvalues as complex
   * numbers; left and right eigenvectors, or zeros if they are not requested; and the info. The
   * eigenvectors of real matrices are real: the first column of a conjugate pair holds the real
   * parts, the second one the imaginary parts.
   */
  static Literal packedGeev(HloInstruction call, List<Literal> in, Execution execution) {
    Factorizations.requireShapes(call, in, 1, a -> withMatrices(a, packedResult(a)));
    boolean isComplex = Factorizations.isComplex(in);
    List<Literal> results = new ArrayList<>(List.of(in.get(0)));
    results.addAll(
        computed(
            call,
            in.get(0),
            packedResult(in.get(0).arrayShape()),
            execution,
            (found, to, k) -> (isComplex ? found : found.packed()).writeComplex(to, k, isComplex)));
    return Literal.tuple(results);
  }

  private static Shape.Tuple packedResult(Shape.Array a) {
    ElementType type = a.elementType();
    Shape.Array values = Factorizations.vectors(a, complexType(type), a.size(a.rank() - 1));
    return Shape.tuple(values, a, a, Lapack.info(a));
  }

  private static Shape withMatrices(Shape.Array a, Shape.Tuple rest) {
    return Shape.tuple(Stream.concat(Stream.of(a), rest.elements().stream()).toArray(Shape[]::new));
  }

  private interface Writer {
    void write(GeneralEigen found, List<LiteralBuilder> results, int k);
  }

  private static List<Literal> computed(
      HloInstruction call,
      Literal matrices,
      Shape.Tuple shape,
      Execution execution,
      Writer writer) {
    Eigen.requireSquare(call, matrices);
    boolean isLeft = isWanted(call, "left");
    boolean isRight = isWanted(call, "right");
    List<LiteralBuilder> results =
        shape.elements().stream().map(part -> new LiteralBuilder((Shape.Array) part)).toList();
    for (int k = 0; k < Matrix.count(matrices); k++) {
      Matrix a = Matrix.read(matrices, k);
      GeneralEigen found =
          Double.isFinite(a.greatestPart())
              ? of(a, matrices.elementType(), isLeft, isRight, execution)
              : ofNonFinite(a.rows());
      writer.write(found, results, k);
    }
    return results.stream().map(LiteralBuilder::build).toList();
  }

  private static boolean isWanted(HloInstruction call, String side) {
    return LapackCall.isOfGpu(call)
        ? LapackCall.isSet(call, side)
        : LapackCall.flag(call, "compute_" + side, "NV") == 'V';
  }

  private static Shape result(Shape.Array a) {
    ElementType type = a.elementType();
    Shape.Array values = Factorizations.vectors(a, type, a.size(a.rank() - 1));
    if (type.isComplex()) {
      return Shape.tuple(values, a, a, Lapack.info(a));
    }
    Shape.Array vectors = a.withElementType(complexType(type));
    return Shape.tuple(values, values, vectors, vectors, Lapack.info(a));
  }

  private static ElementType complexType(ElementType type) {
    return type.componentType() == ElementType.F64 ? ElementType.C128 : ElementType.C64;
  }

  private static GeneralEigen ofNonFinite(int rows) {
    ImmutableList<Complex> values = ImmutableList.copyOf(Collections.nCopies(rows, Complex.NAN));
    Matrix vectors = Matrix.filled(rows, Complex.NAN);
    return new GeneralEigen(values, vectors, vectors, NOT_FINITE);
  }

  private static GeneralEigen of(
      Matrix a, ElementType type, boolean isLeft, boolean isRight, Execution execution) {
    int exponent = RealMath.scalingExponent(a.greatestPart());
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

  /** Returns the same with real and imaginary parts of conjugate pairs in columns of their own. */
  private GeneralEigen packed() {
    return new GeneralEigen(values, packed(left), packed(right), info);
  }

  private Matrix packed(Matrix vectors) {
    Matrix packed = new Matrix(vectors.rows(), vectors.columns());
    for (int j = 0; j < vectors.columns(); j++) {
      boolean isSecond = values.get(j).im() < 0;
      for (int i = 0; i < vectors.rows(); i++) {
        Complex element = vectors.get(i, isSecond ? j - 1 : j);
        packed.set(i, j, new Complex(isSecond ? element.im() : element.re(), 0));
      }
    }
    return packed;
  }

  private void write(List<LiteralBuilder> results, int k, boolean isComplex) {
    if (isComplex) {
      writeComplex(results, k, true);
      return;
    }
    for (int i = 0; i < values.size(); i++) {
      results.get(0).setDouble(k * values.size() + i, values.get(i).re());
      results.get(1).setDouble(k * values.size() + i, values.get(i).im());
    }
    writeVectors(results, k, true);
  }

  private void writeComplex(List<LiteralBuilder> results, int k, boolean isComplex) {
    for (int i = 0; i < values.size(); i++) {
      Factorizations.store(values.get(i), results.get(0), k * values.size() + i, true);
    }
    writeVectors(results, k, isComplex);
  }

  private void writeVectors(List<LiteralBuilder> results, int k, boolean isComplex) {
    int count = results.size();
    left.write(results.get(count - 3), k, isComplex);
    right.write(results.get(count - 2), k, isComplex);
    results.get(count - 1).setLong(k, info);
  }
}
