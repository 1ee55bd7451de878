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
import org.hlo4j.interpreter.math.Bidiagonal;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.math.RealMath;

/**
 * Singular values and vectors in double, rounded once: {@code a = u diag(s) v*}, the greatest value
 * first. Reflections from both sides reduce the matrix to a real bidiagonal one, and rotations make
 * that diagonal. The common sign of a column of u and v is arbitrary; here it makes positive the
 * first element that is not small in its column of v, if v is no larger than u, else of u.
 */
final class SingularValues {
  private final Matrix a;
  private final Complex[] leftTaus;

  /** Column k is the reflector of row k. */
  private final Matrix rights;

  private final Complex[] rightTaus;
  private final double[] diagonal;
  private final double[] superdiagonal;

  /** Starts with a matrix that has no more columns than rows, and is overwritten. */
  private SingularValues(Matrix a) {
    int columns = a.columns();
    this.a = a;
    this.leftTaus = new Complex[columns];
    this.rights = new Matrix(columns, columns);
    this.rightTaus = new Complex[columns];
    this.diagonal = new double[columns];
    this.superdiagonal = new double[columns];
  }

  /** What is found: the values, left and right vectors, the info. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Found(double[] values, Matrix left, Matrix right, int info) {
    Found adjoint() {
      return new Found(values, /* left= */ right, /* right= */ left, info);
    }
  }

  /** gesdd and gesvd: the matrices, the values, u, v*, and the info. */
  static Literal gesdd(HloInstruction call, List<Literal> in, Execution execution) {
    Factorizations.requireShapes(call, in, 1, a -> LapackCall.singularValues(call, a));
    return decompose(
        call, in.get(0), LapackCall.vectors(call) != 'N', LapackCall.isFull(call), execution);
  }

  /**
   * Returns the matrices, the values, u, v*, and the info; u and v* are zero if no vectors are
   * wanted.
   */
  static Literal decompose(
      HloInstruction call,
      Literal matrices,
      boolean areVectorsWanted,
      boolean isFull,
      Execution execution) {
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
      int most = Math.max(a.rows(), a.columns());
      int width = !areVectorsWanted ? 0 : isFull ? most : least;
      Found found =
          Double.isFinite(a.greatestPart())
              ? of(a, width, execution)
              : ofNonFinite(call, a, isFull);
      for (int i = 0; i < least; i++) {
        values.setDouble(n * least + i, found.values[i]);
      }
      if (areVectorsWanted) {
        found.left.write(left, n, isComplex);
        found.right.adjoint().write(right, n, isComplex);
      }
      info.setLong(n, found.info);
    }
    return Literal.tuple(matrices, values.build(), left.build(), right.build(), info.build());
  }

  /** Returns what a matrix that is not finite has: NaN. */
  private static Found ofNonFinite(HloInstruction call, Matrix a, boolean isFull) {
    int least = Math.min(a.rows(), a.columns());
    double[] values = new double[least];
    Arrays.fill(values, Double.NaN);
    return new Found(
        values,
        Matrix.filled(a.rows(), isFull ? a.rows() : least, Complex.NAN),
        Matrix.filled(a.columns(), isFull ? a.columns() : least, Complex.NAN),
        LapackCall.infoOfNonFinite(call, a.greatestPart(), least));
  }

  /** Decomposes a finite matrix, with so many columns of the larger factor; 0 for no vectors. */
  private static Found of(Matrix a, int width, Execution execution) {
    int exponent = RealMath.scalingExponent(a.greatestPart());
    boolean isWide = a.columns() > a.rows();
    SingularValues reduced = new SingularValues((isWide ? a.adjoint() : a).scaled(-exponent));
    Found found = reduced.found(width, execution);
    for (int i = 0; i < found.values.length; i++) {
      found.values[i] = Math.scalb(found.values[i], exponent);
    }
    return isWide ? found.adjoint() : found;
  }

  private Found found(int width, Execution execution) {
    bidiagonalize(execution);
    int rows = width == 0 ? 0 : a.columns();
    Matrix transposedU = left(width == 0 ? 0 : a.rows(), width).transposed(); // for contiguous rows
    Matrix transposedV = right(rows).transposed();
    int info =
        new Bidiagonal(
                diagonal,
                superdiagonal,
                transposedU::rotateRows,
                transposedV::rotateRows,
                execution::checkLimits)
            .diagonalize();
    Matrix u = transposedU.transposed();
    Matrix v = transposedV.transposed();
    for (int j = 0; j < diagonal.length; j++) {
      boolean isNegated = v.isLeadingElementNegative(j);
      if (isNegated) {
        v.negateColumn(j);
      }
      if (isNegated != diagonal[j] < 0) {
        u.negateColumn(j);
      }
      diagonal[j] = Math.abs(diagonal[j]);
    }
    return sorted(u, v, info);
  }

  /** Sorts by decreasing value. Columns of u beyond the values stay where they are. */
  private Found sorted(Matrix u, Matrix v, int info) {
    int[] order =
        IntStream.range(0, diagonal.length)
            .boxed()
            .sorted(Comparator.comparingDouble(j -> -diagonal[j]))
            .mapToInt(j -> j)
            .toArray();
    double[] values = Arrays.stream(order).mapToDouble(j -> diagonal[j]).toArray();
    int[] all = Arrays.copyOf(order, u.columns());
    for (int j = order.length; j < all.length; j++) {
      all[j] = j;
    }
    return new Found(values, u.withColumns(all), v.withColumns(order), info);
  }

  /**
   * Reduces the matrix to a real bidiagonal one: reflections from the left clear each column below
   * the diagonal, and those from the right each row after the element next to the diagonal.
   */
  private void bidiagonalize(Execution execution) {
    for (int k = 0; k < diagonal.length; k++) {
      execution.checkLimits();
      leftTaus[k] = Reflectors.reflect(a, k, k);
      Reflectors.applyToColumns(a, k, k, leftTaus[k].conjugate(), a, k + 1);
      diagonal[k] = a.get(k, k).re();
      if (k + 1 < diagonal.length) {
        for (int j = k + 1; j < diagonal.length; j++) {
          rights.set(j, k, a.get(k, j).conjugate());
        }
        rightTaus[k] = Reflectors.reflect(rights, k + 1, k);
        Reflectors.applyToRows(rights, k, k + 1, rightTaus[k], a, k + 1);
        superdiagonal[k] = rights.get(k + 1, k).re();
      }
    }
  }

  /** Returns columns of the product of the reflections from the left. */
  private Matrix left(int rows, int columns) {
    Matrix u = Matrix.identity(rows, columns);
    for (int k = diagonal.length - 1; k >= 0 && rows > 0; k--) {
      Reflectors.applyToColumns(a, k, k, leftTaus[k], u, k);
    }
    return u;
  }

  /** Returns the product of the reflections from the right. */
  private Matrix right(int rows) {
    Matrix v = Matrix.identity(rows, diagonal.length);
    for (int k = diagonal.length - 2; k >= 0 && rows > 0; k--) {
      Reflectors.applyToColumns(rights, k, k + 1, rightTaus[k], v, k + 1);
    }
    return v;
  }
}
