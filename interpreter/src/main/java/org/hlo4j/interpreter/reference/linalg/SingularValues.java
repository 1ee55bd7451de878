package org.hlo4j.interpreter.reference.linalg;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.LapackCall;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.math.Complex;

/**
 * Singular values and vectors by the one-sided Jacobi method, in double, rounded once: {@code a = u
 * diag(s) v*}, the greatest value first. The common sign of a column of u and v is arbitrary; here
 * it makes positive the first element that is not small in its column of v, if v is no larger than
 * u, else of u.
 */
final class SingularValues {
  private static final int MAX_SWEEPS = 100;
  private static final double SMALL = 1e-15;

  /** The product of two columns, of a matrix of size 1, below which digits are lost. */
  private static final double NEGLIGIBLE = 0x1p-900;

  /** The info of a matrix that is not finite, as in LAPACK: the fourth argument is invalid. */
  private static final int NOT_FINITE = -4;

  private final Matrix w;
  private final Matrix v;

  /** Starts with a matrix that has no more columns than rows, and is overwritten. */
  private SingularValues(Matrix a) {
    this.w = a;
    this.v = Matrix.identity(a.columns());
  }

  /** gesdd and gesvd: the matrices, the values, u, v*, and the info. */
  static Literal gesdd(HloInstruction call, List<Literal> in, Execution execution) {
    Factorizations.requireShapes(call, in, 1, a -> LapackCall.singularValues(call, a));
    return decompose(
        in.get(0), LapackCall.vectors(call) != 'N', LapackCall.isFull(call), execution);
  }

  /**
   * Returns the matrices, the values, u, v*, and the info; u and v* are zero if no vectors are
   * wanted.
   */
  static Literal decompose(
      Literal matrices, boolean areVectorsWanted, boolean isFull, Execution execution) {
    Shape.Array shape = matrices.arrayShape();
    List<Shape> shapes = ((Shape.Tuple) LapackCall.singularValues(shape, isFull)).elements();
    LiteralBuilder values = new LiteralBuilder((Shape.Array) shapes.get(1));
    LiteralBuilder left = LiteralBuilder.zeros((Shape.Array) shapes.get(2));
    LiteralBuilder right = LiteralBuilder.zeros((Shape.Array) shapes.get(3));
    LiteralBuilder info = new LiteralBuilder((Shape.Array) shapes.get(4));
    boolean isComplex = shape.elementType().isComplex();
    int least = Math.min(Matrix.rows(matrices), Matrix.columns(matrices));
    for (int n = 0; n < Matrix.count(matrices); n++) {
      Matrix a = Matrix.read(matrices, n);
      double greatest = a.greatestPart();
      info.setLong(n, Double.isFinite(greatest) ? 0 : NOT_FINITE);
      int exponent = Math.getExponent(greatest);
      boolean isWide = a.columns() > a.rows();
      SingularValues found = new SingularValues((isWide ? a.adjoint() : a).scaled(-exponent));
      double[] s = found.values(Double.isFinite(greatest), execution);
      for (int i = 0; i < least; i++) {
        values.setDouble(n * least + i, Math.scalb(s[i], exponent));
      }
      if (areVectorsWanted) {
        int most = Math.max(a.rows(), a.columns());
        Matrix directions = found.directions(isFull ? most : least);
        (isWide ? found.v : directions).write(left, n, isComplex);
        (isWide ? directions : found.v).adjoint().write(right, n, isComplex);
      }
    }
    return Literal.tuple(matrices, values.build(), left.build(), right.build(), info.build());
  }

  /** Returns the values, and sorts the columns by them. All are NaN if the matrix is not finite. */
  private double[] values(boolean isFinite, Execution execution) {
    if (isFinite) {
      rotate(execution);
      return sort();
    }
    w.fill(Complex.NAN);
    v.fill(Complex.NAN);
    double[] values = new double[w.columns()];
    Arrays.fill(values, Double.NaN);
    return values;
  }

  /** Rotates pairs of columns until all columns are orthogonal. */
  private void rotate(Execution execution) {
    boolean isDone = false;
    for (int sweep = 0; sweep < MAX_SWEEPS && !isDone; sweep++) {
      isDone = true;
      for (int p = 0; p < w.columns(); p++) {
        for (int q = p + 1; q < w.columns(); q++) {
          execution.checkLimits();
          isDone &= !rotate(p, q);
        }
      }
    }
  }

  /** Rotates columns p and q until they are orthogonal. Returns whether they were not. */
  private boolean rotate(int p, int q) {
    Complex product = product(w, p, w, q);
    double size = product.abs();
    double first = w.length(p, 0);
    double second = w.length(q, 0);
    double small = Math.max(SMALL, Math.sqrt(w.rows()) * 0x1p-52);
    if (!(size > Math.max(small * first * second, NEGLIGIBLE))) {
      return false;
    }
    double theta = (second - first) * (second + first) / (2 * size);
    double t = Math.copySign(1, theta) / (Math.abs(theta) + Math.hypot(theta, 1));
    double cosine = 1 / Math.hypot(t, 1);
    Complex sine = Eigen.scaled(product.phase(), t * cosine);
    Eigen.mixColumns(w, p, q, cosine, sine);
    Eigen.mixColumns(v, p, q, cosine, sine);
    return true;
  }

  private static Complex product(Matrix a, int p, Matrix b, int q) {
    Complex sum = Complex.ZERO;
    for (int i = 0; i < a.rows(); i++) {
      Limits.checkAt(i);
      sum = sum.plus(a.get(i, p).conjugate().times(b.get(i, q)));
    }
    return sum;
  }

  /** Sorts the columns by decreasing length, and returns the lengths. */
  private double[] sort() {
    double[] norms = IntStream.range(0, w.columns()).mapToDouble(j -> w.length(j, 0)).toArray();
    int[] order =
        IntStream.range(0, norms.length)
            .boxed()
            .sorted(Comparator.comparingDouble(j -> -norms[j]))
            .mapToInt(j -> j)
            .toArray();
    permute(w, order);
    permute(v, order);
    for (int j = 0; j < norms.length; j++) {
      if (v.isLeadingElementNegative(j)) {
        v.negateColumn(j);
        w.negateColumn(j);
      }
    }
    return Arrays.stream(order).mapToDouble(j -> norms[j]).toArray();
  }

  private static void permute(Matrix a, int[] order) {
    Complex[] row = new Complex[order.length];
    for (int i = 0; i < a.rows(); i++) {
      Limits.checkCurrent();
      for (int j = 0; j < row.length; j++) {
        row[j] = a.get(i, order[j]);
      }
      for (int j = 0; j < row.length; j++) {
        a.set(i, j, row[j]);
      }
    }
  }

  /**
   * Returns the directions of the columns, completed to as many as wanted. They are the columns of
   * a product of reflections, which are orthonormal even if some of the columns are so small that
   * their products underflow.
   */
  private Matrix directions(int count) {
    Complex[] taus = new Complex[w.columns()];
    for (int k = 0; k < taus.length; k++) {
      taus[k] = Reflectors.reflect(w, k, k);
      Reflectors.applyToColumns(w, k, k, taus[k].conjugate(), w, k + 1);
    }
    Matrix u = Matrix.identity(w.rows(), count);
    for (int k = taus.length - 1; k >= 0; k--) {
      Reflectors.applyToColumns(w, k, k, taus[k], u, k);
    }
    for (int k = 0; k < taus.length; k++) {
      if (w.get(k, k).re() < 0) {
        u.negateColumn(k);
      }
    }
    return u;
  }
}
