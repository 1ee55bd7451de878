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
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.math.Complex;

/**
 * Eigenvalues and eigenvectors of self-adjoint matrices by the Jacobi method, in double, rounded
 * once: {@code a v = v diag(w)}. The sign of each vector makes its first element that is not small
 * positive.
 */
public final class Eigen {
  private static final int MAX_SWEEPS = 100;
  private static final double SMALL = 1e-32;

  /** The first options of Eigh: whether the lower triangle is read, and whether to sort. */
  private static final Pattern OPTIONS = Pattern.compile("\"([01]),([01])(,.*)?\"");

  private final Matrix a;
  private final Matrix v;
  private final int n;

  private Eigen(Matrix a) {
    this.a = a;
    this.n = a.rows();
    this.v = Matrix.identity(n);
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
    return decompose(in.get(0), lower, options.group(2).equals("1"), execution);
  }

  /**
   * Returns the vectors and the values of square matrices, of which only one triangle is read.
   * Those of a matrix that is not finite are NaN.
   */
  static Literal decompose(Literal matrices, boolean lower, boolean sorted, Execution execution) {
    Shape.Array shape = matrices.arrayShape();
    LiteralBuilder vectors = new LiteralBuilder(shape);
    LiteralBuilder values = new LiteralBuilder(values(shape));
    for (int k = 0; k < Matrix.count(matrices); k++) {
      Matrix a = selfAdjoint(Matrix.read(matrices, k), lower);
      double greatest = a.greatestPart();
      int exponent = Math.getExponent(greatest);
      Eigen eigen = new Eigen(a.scaled(-exponent));
      if (Double.isFinite(greatest)) {
        eigen.diagonalize(execution);
      } else {
        eigen.a.fill(Complex.NAN);
        eigen.v.fill(Complex.NAN);
      }
      eigen.write(vectors, values, k, exponent, shape.elementType().isComplex(), sorted);
    }
    return Literal.tuple(vectors.build(), values.build());
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

  private void diagonalize(Execution execution) {
    for (int sweep = 0; sweep < MAX_SWEEPS && !isDiagonal(); sweep++) {
      for (int p = 0; p < n; p++) {
        for (int q = p + 1; q < n; q++) {
          execution.checkLimits();
          rotate(p, q);
        }
      }
    }
  }

  private boolean isDiagonal() {
    double off = 0;
    double all = 0;
    for (int i = 0; i < n; i++) {
      Limits.checkCurrent();
      for (int j = 0; j < n; j++) {
        double square = a.get(i, j).square();
        all += square;
        off += i == j ? 0 : square;
      }
    }
    return !(off > SMALL * all);
  }

  /** Makes a[p, q] zero by a rotation of columns p and q, then of the rows. */
  private void rotate(int p, int q) {
    Complex off = a.get(p, q);
    double size = off.abs();
    if (size == 0) {
      return;
    }
    double theta = (a.get(q, q).re() - a.get(p, p).re()) / (2 * size);
    double t = Math.copySign(1, theta) / (Math.abs(theta) + Math.hypot(theta, 1));
    double cosine = 1 / Math.hypot(t, 1);
    Complex sine = scaled(off.phase(), t * cosine);
    mixColumns(a, p, q, cosine, sine);
    mixRows(p, q, cosine, sine);
    mixColumns(v, p, q, cosine, sine);
    a.set(p, q, Complex.ZERO); // zero but for rounding, which would keep sweeps from converging
    a.set(q, p, Complex.ZERO);
  }

  /**
   * Rotates columns p and q of a matrix. A column changes by a difference, since the square of a
   * rounded cosine of a small angle and that of its sine add up to more than 1, always.
   */
  static void mixColumns(Matrix m, int p, int q, double cosine, Complex sine) {
    double difference = (sine.re() * sine.re() + sine.im() * sine.im()) / (1 + cosine);
    for (int i = 0; i < m.rows(); i++) {
      Limits.checkAt(i);
      Complex x = m.get(i, p);
      Complex y = m.get(i, q);
      m.set(i, p, x.minus(sine.conjugate().times(y).plus(scaled(x, difference))));
      m.set(i, q, y.plus(sine.times(x).minus(scaled(y, difference))));
    }
  }

  private void mixRows(int p, int q, double cosine, Complex sine) {
    for (int j = 0; j < n; j++) {
      Complex x = a.get(p, j);
      Complex y = a.get(q, j);
      a.set(p, j, scaled(x, cosine).minus(sine.times(y)));
      a.set(q, j, sine.conjugate().times(x).plus(scaled(y, cosine)));
    }
  }

  /** Returns a complex number divided by a real one, which may be too small to have an inverse. */
  static Complex divided(Complex z, double divisor) {
    return new Complex(z.re() / divisor, z.im() / divisor);
  }

  /** Returns a complex number times a real one. */
  static Complex scaled(Complex z, double factor) {
    return new Complex(z.re() * factor, z.im() * factor);
  }

  private void write(
      LiteralBuilder vectors,
      LiteralBuilder values,
      int k,
      int exponent,
      boolean complex,
      boolean sorted) {
    Integer[] order = IntStream.range(0, n).boxed().toArray(Integer[]::new);
    if (sorted) {
      Arrays.sort(order, Comparator.comparingDouble(i -> a.get(i, i).re()));
    }
    Matrix ordered = new Matrix(n, n);
    for (int j = 0; j < n; j++) {
      Limits.checkCurrent();
      values.setDouble(k * n + j, Math.scalb(a.get(order[j], order[j]).re(), exponent));
      for (int i = 0; i < n; i++) {
        ordered.set(i, j, v.get(i, order[j]));
      }
      if (ordered.isLeadingElementNegative(j)) {
        ordered.negateColumn(j);
      }
    }
    ordered.write(vectors, k, complex);
  }
}
