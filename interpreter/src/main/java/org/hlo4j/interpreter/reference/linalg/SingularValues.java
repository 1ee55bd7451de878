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
    LiteralBuilder left = new LiteralBuilder((Shape.Array) shapes.get(2));
    LiteralBuilder right = new LiteralBuilder((Shape.Array) shapes.get(3));
    LiteralBuilder info = new LiteralBuilder((Shape.Array) shapes.get(4));
    boolean isComplex = shape.elementType().isComplex();
    int least = Math.min(Matrix.rows(matrices), Matrix.columns(matrices));
    for (int n = 0; n < Matrix.count(matrices); n++) {
      Matrix a = Matrix.read(matrices, n);
      double greatest = a.greatestPart();
      info.setLong(n, Double.isFinite(greatest) ? 0 : NOT_FINITE);
      double unit =
          Double.isFinite(greatest) ? Math.scalb(1.0, Math.getExponent(greatest)) : Double.NaN;
      boolean isWide = a.columns() > a.rows();
      SingularValues found = new SingularValues(scaled(isWide ? a.adjoint() : a, 1 / unit));
      found.rotate(execution);
      double[] s = found.sort();
      for (int i = 0; i < least; i++) {
        values.setDouble(n * least + i, s[i] * unit);
      }
      if (areVectorsWanted) {
        int most = Math.max(a.rows(), a.columns());
        Matrix orthonormal = found.orthonormal(s, isFull ? most : least);
        (isWide ? found.v : orthonormal).write(left, n, isComplex);
        (isWide ? orthonormal : found.v).adjoint().write(right, n, isComplex);
      }
    }
    return Literal.tuple(matrices, values.build(), left.build(), right.build(), info.build());
  }

  static Matrix scaled(Matrix a, double factor) {
    Matrix scaled = new Matrix(a.rows(), a.columns());
    for (int i = 0; i < a.rows(); i++) {
      for (int j = 0; j < a.columns(); j++) {
        scaled.set(i, j, Eigen.scaled(a.get(i, j), factor));
      }
    }
    return scaled;
  }

  /** Rotates pairs of columns until all columns are orthogonal. */
  private void rotate(Execution execution) {
    boolean isDone = false;
    for (int sweep = 0; sweep < MAX_SWEEPS && !isDone; sweep++) {
      isDone = true;
      for (int p = 0; p < w.columns(); p++) {
        execution.checkLimits();
        for (int q = p + 1; q < w.columns(); q++) {
          isDone &= !rotate(p, q);
        }
      }
    }
  }

  /** Rotates columns p and q until they are orthogonal. Returns whether they were not. */
  private boolean rotate(int p, int q) {
    Complex product = product(w, p, w, q);
    double size = product.abs();
    double first = norm(w, p);
    double second = norm(w, q);
    if (!(size > SMALL * first * second)) {
      return false;
    }
    double theta = (second - first) * (second + first) / (2 * size);
    double t = Math.copySign(1, theta) / (Math.abs(theta) + Math.hypot(theta, 1));
    double cosine = 1 / Math.hypot(t, 1);
    double factor = t * cosine / size;
    Complex sine = Eigen.scaled(product, factor);
    Eigen.mixColumns(w, p, q, cosine, sine);
    Eigen.mixColumns(v, p, q, cosine, sine);
    return true;
  }

  private static Complex product(Matrix a, int p, Matrix b, int q) {
    Complex sum = Complex.ZERO;
    for (int i = 0; i < a.rows(); i++) {
      sum = sum.plus(a.get(i, p).conjugate().times(b.get(i, q)));
    }
    return sum;
  }

  private static double norm(Matrix a, int column) {
    double squares = 0;
    for (int i = 0; i < a.rows(); i++) {
      Complex z = a.get(i, column);
      squares += z.re() * z.re() + z.im() * z.im();
    }
    return Math.sqrt(squares);
  }

  /** Sorts the columns by decreasing length, and returns the lengths. */
  private double[] sort() {
    double[] norms = IntStream.range(0, w.columns()).mapToDouble(j -> norm(w, j)).toArray();
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
      for (int j = 0; j < row.length; j++) {
        row[j] = a.get(i, order[j]);
      }
      for (int j = 0; j < row.length; j++) {
        a.set(i, j, row[j]);
      }
    }
  }

  /** Returns orthonormal columns: the normalized existing ones, then as many others as needed. */
  private Matrix orthonormal(double[] norms, int count) {
    Matrix u = new Matrix(w.rows(), count);
    for (int j = 0; j < count; j++) {
      if (j < norms.length && norms[j] != 0) {
        for (int i = 0; i < w.rows(); i++) {
          u.set(i, j, Eigen.scaled(w.get(i, j), 1 / norms[j]));
        }
      } else {
        addColumn(u, j);
      }
    }
    return u;
  }

  /** Makes column j from the axis that is farthest from all columns before it. */
  private static void addColumn(Matrix u, int j) {
    int axis = 0;
    double least = Double.POSITIVE_INFINITY;
    for (int i = 0; i < u.rows(); i++) {
      double along = 0;
      for (int k = 0; k < j; k++) {
        double size = u.get(i, k).abs();
        along += size * size;
      }
      if (along < least) {
        least = along;
        axis = i;
      }
    }
    u.set(axis, j, Complex.ONE);
    for (int k = 0; k < 2 * j; k++) { // twice, to remove rounding errors
      Complex along = product(u, k % j, u, j);
      for (int i = 0; i < u.rows(); i++) {
        u.set(i, j, u.get(i, j).minus(along.times(u.get(i, k % j))));
      }
    }
    double norm = norm(u, j);
    for (int i = 0; i < u.rows(); i++) {
      u.set(i, j, Eigen.scaled(u.get(i, j), 1 / norm));
    }
  }
}
