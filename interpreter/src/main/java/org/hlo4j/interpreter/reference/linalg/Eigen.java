package org.hlo4j.interpreter.reference.linalg;

import static org.hlo4j.hlo.HloException.require;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.LapackCall;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.math.RealMath;
import org.hlo4j.interpreter.math.SymmetricTridiagonal;

/**
 * Eigenvalues and eigenvectors of self-adjoint matrices in double, rounded once: {@code a v = v
 * diag(w)}. Reflections reduce the matrix to a real tridiagonal one, and rotations make that
 * diagonal. The sign of each vector makes its first element that is not small positive.
 */
public final class Eigen {
  /** The first options of Eigh: whether the lower triangle is read, and whether to sort. */
  private static final Pattern OPTIONS = Pattern.compile("\"([01]),([01])(,.*)?\"");

  private final Matrix vectors;
  private final double[] values;
  private final int info;

  private Eigen(Matrix vectors, double[] values, int info) {
    this.vectors = vectors;
    this.values = values;
    this.info = info;
  }

  /**
   * Eigh: the vectors, as columns, and the values; in ascending order if backend_config asks for
   * it.
   */
  public static Literal eigh(HloInstruction call, List<Literal> in, Execution execution) {
    Factorizations.requireShapes(call, in, 1, a -> Shape.tuple(a, values(a)));
    requireSquare(call, in.get(0));
    String config = call.attributes().getOrDefault("backend_config", "");
    Matcher options = OPTIONS.matcher(config);
    require(
        options.matches(),
        "",
        "custom-call: %s: backend_config got %s, want \"lower,sorted,…\", each 0 or 1",
        call.name(),
        config.isEmpty() ? "none" : config);
    boolean lower = options.group(1).equals("1");
    Literal result = decompose(call, in.get(0), lower, options.group(2).equals("1"), execution);
    requireConverged(call, result.element(1), result.element(2));
    return Literal.tuple(result.element(0), result.element(1));
  }

  /** Throws if the values of a matrix did not converge, unless they are NaN: Eigh has no info. */
  static void requireConverged(HloInstruction call, Literal values, Literal info) {
    int n = values.elementCount() / Math.max(1, info.elementCount());
    for (int k = 0; k < info.elementCount(); k++) {
      require(
          info.longAt(k) == 0 || Double.isNaN(values.doubleAt(k * n)),
          "",
          "custom-call: %s: got %s of %s eigenvalues of matrix %s that did not converge, want none",
          call.name(),
          info.longAt(k),
          n,
          k);
    }
  }

  /**
   * Returns the vectors and the values of square matrices, of which only one triangle is read, and
   * the info. Vectors and values of a matrix that is not finite are NaN.
   */
  static Literal decompose(
      HloInstruction call, Literal matrices, boolean lower, boolean sorted, Execution execution) {
    Shape.Array shape = matrices.arrayShape();
    LiteralBuilder vectors = new LiteralBuilder(shape);
    LiteralBuilder values = new LiteralBuilder(values(shape));
    LiteralBuilder info = new LiteralBuilder(Lapack.info(shape));
    int n = Matrix.rows(matrices);
    for (int k = 0; k < Matrix.count(matrices); k++) {
      Matrix a = selfAdjoint(Matrix.read(matrices, k), lower);
      Eigen found = Double.isFinite(a.greatestPart()) ? of(a, execution) : ofNonFinite(call, a);
      Eigen ordered = sorted ? found.sorted() : found;
      for (int j = 0; j < n; j++) {
        values.setDouble(k * n + j, ordered.values[j]);
      }
      ordered.vectors.write(vectors, k, shape.elementType().isComplex());
      info.setLong(k, ordered.info);
    }
    return Literal.tuple(vectors.build(), values.build(), info.build());
  }

  /** Returns the shape of the eigenvalues of matrices. */
  static Shape.Array values(Shape.Array matrices) {
    ElementType real = matrices.elementType().componentType();
    return Factorizations.vectors(matrices, real, matrices.size(matrices.rank() - 1));
  }

  /** Throws if matrices are not square. */
  static void requireSquare(HloInstruction call, Literal matrices) {
    require(
        Matrix.rows(matrices) == Matrix.columns(matrices),
        "",
        "custom-call: %s: operand got %s, want square matrices",
        call.name(),
        matrices.shape());
  }

  /** Completes a self-adjoint matrix from one of its triangles. */
  static Matrix selfAdjoint(Matrix given, boolean lower) {
    for (int i = 0; i < given.rows(); i++) {
      Limits.checkCurrent();
      given.set(i, i, new Complex(given.get(i, i).re(), 0));
      for (int j = 0; j < i; j++) {
        if (lower) {
          given.set(j, i, given.get(i, j).conjugate());
        } else {
          given.set(i, j, given.get(j, i).conjugate());
        }
      }
    }
    return given;
  }

  /** Returns a complex number divided by a real one, which may be too small to have an inverse. */
  static Complex divided(Complex z, double divisor) {
    return new Complex(z.re() / divisor, z.im() / divisor);
  }

  /** Returns a complex number times a real one. */
  static Complex scaled(Complex z, double factor) {
    return new Complex(z.re() * factor, z.im() * factor);
  }

  /** Returns the eigenvectors, as columns, and the eigenvalues of a finite matrix. */
  private static Eigen of(Matrix a, Execution execution) {
    int exponent = RealMath.scalingExponent(a.greatestPart());
    Matrix form = a.scaled(-exponent);
    int n = a.rows();
    Complex[] taus = Hessenberg.reduce(form, 0, n, execution);
    Matrix rows = Hessenberg.formQ(form, taus, execution).transposed(); // rows are contiguous
    double[] values = new double[n];
    double[] offDiagonal = new double[n];
    for (int i = 0; i < n; i++) {
      values[i] = form.get(i, i).re();
      offDiagonal[i] = i + 1 < n ? form.get(i + 1, i).re() : 0;
    }
    int info =
        new SymmetricTridiagonal(values, offDiagonal, rows::rotateRows, execution::checkLimits)
            .diagonalize();
    Matrix vectors = rows.transposed();
    for (int i = 0; i < n; i++) {
      values[i] = Math.scalb(values[i], exponent);
      if (vectors.isLeadingElementNegative(i)) {
        vectors.negateColumn(i);
      }
    }
    return new Eigen(vectors, values, info);
  }

  private static Eigen ofNonFinite(HloInstruction call, Matrix a) {
    double[] values = new double[a.rows()];
    Arrays.fill(values, Double.NaN);
    int info = LapackCall.infoOfNonFinite(call, a.greatestPart(), a.rows());
    return new Eigen(Matrix.filled(a.rows(), Complex.NAN), values, info);
  }

  private Eigen sorted() {
    int[] order =
        IntStream.range(0, values.length)
            .boxed()
            .sorted(Comparator.comparingDouble(i -> values[i]))
            .mapToInt(i -> i)
            .toArray();
    double[] ascending = Arrays.stream(order).mapToDouble(i -> values[i]).toArray();
    return new Eigen(vectors.withColumns(order), ascending, info);
  }
}
