package org.hlo4j.interpreter.reference.linalg;

import static org.hlo4j.hlo.HloException.require;

import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.StandardTarget;
import org.hlo4j.interpreter.math.Complex;

/**
 * The factorizations that JAX leaves to custom calls; in double, rounded once. Results are packed
 * as in LAPACK, except that pivots count from 0.
 */
public final class Factorizations {
  private Factorizations() {}

  /**
   * Throws if the operands or the result of a call have unexpected shapes. The verifier does not
   * check custom calls.
   */
  static void requireShapes(
      HloInstruction call, List<Literal> in, int operands, Function<Shape.Array, Shape> rule) {
    require(
        in.size() == operands
            && in.get(0).shape() instanceof Shape.Array array
            && array.rank() >= 2
            && (array.elementType().isFloating() || array.elementType().isComplex()),
        "",
        "custom-call: %s: %s got %s, want %s operands, the first of them matrices of floats or"
            + " complex numbers",
        call.name(),
        ((CustomCall) call.op()).customCallTarget(),
        in.stream().map(Literal::shape).toList(),
        operands);
    StandardTarget.requireResult(call, rule.apply(in.get(0).arrayShape()));
  }

  /** Returns the shape of vectors of a length, one for each matrix. */
  static Shape.Array vectors(Shape.Array matrices, ElementType elementType, long length) {
    Dims batch = matrices.sizes().subList(0, matrices.rank() - 2);
    return Shape.of(elementType, batch.inserted(batch.count(), length));
  }

  /** Returns the shape of matrices of other sizes, one for each matrix. */
  static Shape.Array matrices(Shape.Array matrices, long rows, long columns) {
    Dims batch = matrices.sizes().subList(0, matrices.rank() - 2);
    return Shape.of(matrices.elementType(), batch.concat(Dims.of(rows, columns)));
  }

  static long minDimension(Shape.Array matrices) {
    return Math.min(matrices.size(matrices.rank() - 2), matrices.size(matrices.rank() - 1));
  }

  static boolean isComplex(List<Literal> in) {
    return in.get(0).elementType().isComplex();
  }

  /** Qr: r in the upper triangle, below it the reflectors without their leading 1; and the taus. */
  public static Literal qr(HloInstruction call, List<Literal> in, Execution execution) {
    requireShapes(call, in, 1, a -> Shape.tuple(a, vectors(a, a.elementType(), minDimension(a))));
    Shape.Array shape = in.get(0).arrayShape();
    LiteralBuilder packed = new LiteralBuilder(shape);
    LiteralBuilder taus =
        new LiteralBuilder(vectors(shape, shape.elementType(), minDimension(shape)));
    int next = 0;
    for (int n = 0; n < Matrix.count(in.get(0)); n++) {
      Matrix a = Matrix.read(in.get(0), n);
      for (int k = 0; k < Math.min(a.rows(), a.columns()); k++) {
        execution.checkLimits();
        store(triangulate(a, k), taus, next++, isComplex(in));
      }
      a.write(packed, n, isComplex(in));
    }
    return Literal.tuple(packed.build(), taus.build());
  }

  /**
   * Does one step of qr: makes the reflector of column k, applies it to the columns after k, and
   * returns tau.
   */
  private static Complex triangulate(Matrix a, int k) {
    Complex tau = Reflectors.reflect(a, k, k);
    Reflectors.applyToColumns(a, k, k, tau.conjugate(), a, k + 1);
    return tau;
  }

  static void store(Complex value, LiteralBuilder to, int position, boolean complex) {
    ComplexArray one = new ComplexArray(1);
    one.set(0, value);
    one.store(0, to, position, complex);
  }

  /**
   * geqp3: qr with column pivoting. Each step takes the column with the greatest norm that remains
   * after the reflections so far. Also returns the original position of each column, from 1.
   * Columns whose given pivot is not 0 go first.
   */
  static Literal pivotedQr(HloInstruction call, List<Literal> in, Execution execution) {
    requireShapes(
        call,
        in,
        2,
        a -> Shape.tuple(a, pivotsShape(a), vectors(a, a.elementType(), minDimension(a))));
    Shape.Array shape = in.get(0).arrayShape();
    require(
        in.get(1).shape().equals(pivotsShape(shape)),
        "",
        "custom-call: %s: pivots got %s, want %s",
        call.name(),
        in.get(1).shape(),
        pivotsShape(shape));
    LiteralBuilder packed = new LiteralBuilder(shape);
    LiteralBuilder order = new LiteralBuilder(pivotsShape(shape));
    LiteralBuilder taus =
        new LiteralBuilder(vectors(shape, shape.elementType(), minDimension(shape)));
    int next = 0;
    for (int n = 0; n < Matrix.count(in.get(0)); n++) {
      Matrix a = Matrix.read(in.get(0), n);
      int[] columnOrder = IntStream.range(0, a.columns()).toArray();
      int fixed = 0;
      for (int j = 0; j < a.columns(); j++) {
        if (in.get(1).longAt(n * a.columns() + j) != 0) {
          swapColumns(a, columnOrder, fixed++, j);
        }
      }
      for (int k = 0; k < Math.min(a.rows(), a.columns()); k++) {
        execution.checkLimits();
        swapColumns(a, columnOrder, k, k < fixed ? k : longestColumn(a, k));
        store(triangulate(a, k), taus, next++, isComplex(in));
      }
      a.write(packed, n, isComplex(in));
      for (int j = 0; j < columnOrder.length; j++) {
        order.setLong(n * columnOrder.length + j, columnOrder[j] + 1);
      }
    }
    return Literal.tuple(packed.build(), order.build(), taus.build());
  }

  private static Shape.Array pivotsShape(Shape.Array matrices) {
    return vectors(matrices, ElementType.S32, matrices.size(matrices.rank() - 1));
  }

  private static void swapColumns(Matrix a, int[] columnOrder, int first, int second) {
    a.swapColumns(first, second);
    int place = columnOrder[first];
    columnOrder[first] = columnOrder[second];
    columnOrder[second] = place;
  }

  /** Returns the column from k on with the greatest norm from row k on, the first of several. */
  private static int longestColumn(Matrix a, int k) {
    double[] lengths = a.lengths(k, k);
    int longest = k;
    double most = -1;
    for (int j = 0; j < lengths.length; j++) {
      if (lengths[j] > most) {
        most = lengths[j];
        longest = k + j;
      }
    }
    return longest;
  }

  /**
   * LuDecomposition: l and u packed in one matrix, the row that each row was swapped with, and the
   * resulting order of the rows.
   */
  public static Literal lu(HloInstruction call, List<Literal> in, Execution execution) {
    requireShapes(
        call,
        in,
        1,
        a ->
            Shape.tuple(
                a,
                vectors(a, ElementType.S32, minDimension(a)),
                vectors(a, ElementType.S32, a.size(a.rank() - 2))));
    return lu(in.get(0), execution);
  }

  /**
   * Returns the packed matrices, the row that each row was swapped with, and the order of the rows.
   */
  static Literal lu(Literal matrices, Execution execution) {
    Shape.Array shape = matrices.arrayShape();
    LiteralBuilder packed = new LiteralBuilder(shape);
    LiteralBuilder pivots =
        new LiteralBuilder(vectors(shape, ElementType.S32, minDimension(shape)));
    LiteralBuilder permutation =
        new LiteralBuilder(vectors(shape, ElementType.S32, shape.size(shape.rank() - 2)));
    int next = 0;
    for (int n = 0; n < Matrix.count(matrices); n++) {
      Matrix a = Matrix.read(matrices, n);
      int[] order = IntStream.range(0, a.rows()).toArray();
      for (int k = 0; k < Math.min(a.rows(), a.columns()); k++) {
        execution.checkLimits();
        int pivot = largestBelow(a, k);
        pivots.setLong(next++, pivot);
        a.swapRows(k, pivot);
        int kept = order[k];
        order[k] = order[pivot];
        order[pivot] = kept;
        eliminate(a, k);
      }
      a.write(packed, n, shape.elementType().isComplex());
      for (int i = 0; i < order.length; i++) {
        permutation.setLong(n * order.length + i, order[i]);
      }
    }
    return Literal.tuple(packed.build(), pivots.build(), permutation.build());
  }

  private static int largestBelow(Matrix a, int k) {
    int largest = k;
    for (int i = k + 1; i < a.rows(); i++) {
      Limits.checkAt(i);
      largest = sumOfParts(a.get(i, k)) > sumOfParts(a.get(largest, k)) ? i : largest;
    }
    return largest;
  }

  /** Returns the size by which LAPACK chooses pivots; for complex numbers it is not the modulus. */
  static double sumOfParts(Complex number) {
    return Math.abs(number.re()) + Math.abs(number.im());
  }

  private static void eliminate(Matrix a, int k) {
    Complex pivot = a.get(k, k);
    for (int i = k + 1; i < a.rows() && !pivot.isZero(); i++) {
      Limits.checkCurrent();
      Complex factor = Reflectors.quotient(a.get(i, k), pivot);
      a.set(i, k, factor);
      a.subtractMultipleOfRow(i, k + 1, factor, k);
    }
  }
}
