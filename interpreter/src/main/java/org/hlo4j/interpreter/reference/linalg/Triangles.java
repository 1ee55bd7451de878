package org.hlo4j.interpreter.reference.linalg;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Cholesky;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.Pieces;
import org.hlo4j.interpreter.math.Complex;

/**
 * Cholesky factorization and triangular solves of the matrices in the last two dimensions; computed
 * in double, rounded once.
 */
public final class Triangles {
  private final boolean complex;
  private final Execution execution;
  private final Pieces pieces = new Pieces();

  private Triangles(Literal a, Execution execution) {
    this.complex = a.elementType().isComplex();
    this.execution = execution;
  }

  private Complex times(Complex a, Complex b) {
    return complex ? a.times(b) : new Complex(a.re() * b.re(), 0);
  }

  private Complex divided(Complex a, Complex b) {
    return complex ? a.dividedBy(b) : new Complex(a.re() / b.re(), 0);
  }

  private static Dims withoutLast(Dims sizes, int count) {
    return sizes.subList(0, sizes.count() - count);
  }

  /** {@code a = result * adjoint(result)}, or for the upper triangle its adjoint. */
  public static Literal cholesky(Cholesky op, Literal a, Execution execution) {
    Shape.Array shape = a.arrayShape();
    int n = (int) shape.size(shape.rank() - 1);
    long matrices = withoutLast(shape.sizes(), 2).product();
    LiteralBuilder result = new LiteralBuilder(shape);
    Triangles triangles = new Triangles(a, execution);
    for (int matrix = 0; matrix < matrices && n > 0; matrix++) {
      ComplexArray root = new ComplexArray((long) n * n);
      int definite = triangles.factorize(op, a, root, matrix * n * n, n);
      for (int i = 0; i < n * n; i++) {
        Limits.checkAt(i);
        Complex element = op.lower() ? root.get(i) : adjoint(root, i, n);
        triangles.store(result, matrix * n * n + i, definite < n ? Complex.NAN : element);
      }
    }
    return result.build();
  }

  /**
   * potrf: the matrices with one triangle replaced by its factor, and for each 0 or the order of
   * the first leading minor that is not positive. The columns (or, of the upper triangle, rows)
   * before it are then those of the factor, and the last element of the minor is what was left of
   * it.
   */
  static Literal potrf(Cholesky op, Literal a, Execution execution) {
    int n = Matrix.rows(a);
    LiteralBuilder result = new LiteralBuilder(a.arrayShape());
    LiteralBuilder info = new LiteralBuilder(Lapack.info(a.arrayShape()));
    Triangles triangles = new Triangles(a, execution);
    for (int matrix = 0; matrix < Matrix.count(a); matrix++) {
      ComplexArray root = new ComplexArray((long) n * n);
      int definite = triangles.factorize(op, a, root, matrix * n * n, n);
      info.setLong(matrix, definite < n ? definite + 1 : 0);
      for (int i = 0; i < n * n; i++) {
        Limits.checkAt(i);
        int row = op.lower() ? i / n : i % n;
        int column = op.lower() ? i % n : i / n;
        if (column < definite ? column <= row : column == definite && row == definite) {
          triangles.store(
              result, matrix * n * n + i, op.lower() ? root.get(i) : adjoint(root, i, n));
        } else {
          result.copy(matrix * n * n + i, a, matrix * n * n + i);
        }
      }
    }
    return Literal.tuple(result.build(), info.build());
  }

  /**
   * Computes the factor of the matrix at a position, as far as leading minors are positive, and
   * returns the number of rows of the greatest of them.
   */
  private int factorize(Cholesky op, Literal a, ComplexArray root, int at, int n) {
    int definite = n;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < Math.min(i, definite); j++) {
        execution.checkLimits();
        Complex element = ComplexArray.complexAt(a, at + (op.lower() ? i * n + j : j * n + i));
        Complex rest = (op.lower() ? element : element.conjugate()).minus(dot(root, n, i, j, j));
        root.set(i * n + j, divided(rest, root.get(j * n + j)));
      }
      if (i < definite) {
        double square = ComplexArray.complexAt(a, at + i * n + i).re() - dot(root, n, i, i, i).re();
        definite = square > 0 ? definite : i;
        root.set(i * n + i, square > 0 ? Math.sqrt(square) : square, 0);
      }
    }
    return definite;
  }

  /**
   * Returns the conjugate of the transposed element, without negative zeros in the imaginary part.
   */
  private static Complex adjoint(ComplexArray root, int i, int n) {
    int opposite = i % n * n + i / n;
    return new Complex(root.re(opposite), 0 - root.im(opposite));
  }

  private void store(LiteralBuilder result, int position, Complex value) {
    if (complex) {
      result.setComplex(position, value.re(), value.im());
    } else {
      result.setDouble(position, value.re());
    }
  }

  /** {@code sum over k below count of root[i, k] * conjugate(root[j, k])} */
  private Complex dot(ComplexArray root, int n, int i, int j, int count) {
    Complex sum = Complex.ZERO;
    pieces.next(count);
    for (int k = 0; k < count; k++) {
      sum = sum.plus(times(root.get(i * n + k), root.get(j * n + k).conjugate()));
    }
    return sum;
  }

  /** {@code op(a) * result = b}, or {@code result * op(a) = b}. */
  public static Literal solve(TriangularSolve op, Literal a, Literal b, Execution execution) {
    Shape.Array shape = b.arrayShape();
    int rank = shape.rank();
    int n = (int) a.arrayShape().size(rank - 1);
    int columns = (int) shape.size(op.leftSide() ? rank - 1 : rank - 2);
    long matrices = withoutLast(shape.sizes(), 2).product();
    LiteralBuilder result = new LiteralBuilder(shape);
    Triangles triangles = new Triangles(a, execution);
    for (int matrix = 0; matrix < matrices && n > 0 && columns > 0; matrix++) {
      ComplexArray m = triangles.rowsToSolve(op, a, matrix * n * n, n);
      for (int c = 0; c < columns; c++) {
        int start = matrix * n * columns + (op.leftSide() ? c : c * n);
        triangles.substitute(m, op, b, result, start, op.leftSide() ? columns : 1, n);
      }
    }
    return result.build();
  }

  /** Returns the matrix m of {@code m * x = v}: op(a), transposed if it is on the right. */
  private ComplexArray rowsToSolve(TriangularSolve op, Literal a, int at, int n) {
    boolean flipped = transposed(op);
    boolean adjoint = op.transposeA() == TriangularSolve.TransposeA.ADJOINT;
    ComplexArray m = new ComplexArray((long) n * n);
    for (int i = 0; i < n * n; i++) {
      Limits.checkAt(i);
      Complex element = ComplexArray.complexAt(a, at + (flipped ? i % n * n + i / n : i));
      m.set(i, adjoint ? element.conjugate() : element);
    }
    return m;
  }

  private static boolean transposed(TriangularSolve op) {
    boolean transposeA = op.transposeA() != TriangularSolve.TransposeA.NO_TRANSPOSE;
    return transposeA == op.leftSide();
  }

  /** Substitutes {@code x[i] = (v[i] - sum over the known x of m[i, k] * x[k]) / m[i, i]}. */
  private void substitute(
      ComplexArray m,
      TriangularSolve op,
      Literal b,
      LiteralBuilder result,
      int start,
      int stride,
      int n) {
    boolean downward = op.lower() != transposed(op);
    ComplexArray x = new ComplexArray(n);
    for (int step = 0; step < n; step++) {
      int i = downward ? step : n - 1 - step;
      Complex rest = ComplexArray.complexAt(b, start + i * stride);
      pieces.next(step);
      for (int known = 0; known < step; known++) {
        int k = downward ? known : n - 1 - known;
        rest = rest.minus(times(m.get(i * n + k), x.get(k)));
      }
      x.set(i, op.unitDiagonal() ? rest : divided(rest, m.get(i * n + i)));
      store(result, start + i * stride, x.get(i));
    }
  }
}
