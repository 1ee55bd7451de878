package org.hlo4j.interpreter.linalg;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;

import java.util.Random;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.hlo.op.TriangularSolve.TransposeA;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;

/** cholesky and triangular-solve. */
final class TrianglesTest {
  private static final float NAN = Float.NaN;

  private static Literal f32(float[]... rows) {
    return Literal.of(rows);
  }

  private static Literal complex(double[][]... rows) {
    LiteralBuilder builder =
        new LiteralBuilder(Shape.of(ElementType.C64, rows.length, rows[0].length));
    for (int i = 0; i < rows.length * rows[0].length; i++) {
      double[] pair = rows[i / rows[0].length][i % rows[0].length];
      builder.setComplex(i, pair[0], pair[1]);
    }
    return builder.build();
  }

  private static Literal cholesky(boolean lower, Literal a) {
    XlaBuilder b = new XlaBuilder("cholesky");
    b.parameter(0, a.shape(), "a").cholesky(lower);
    return Evaluators.both().run(b.build(), a);
  }

  private static Literal solve(TriangularSolve op, Literal left, Literal right) {
    XlaBuilder b = new XlaBuilder("solve");
    XlaOp a = b.parameter(0, left.shape(), "a");
    a.triangularSolve(b.parameter(1, right.shape(), "b"), op);
    return Evaluators.both().run(b.build(), left, right);
  }

  @Test
  void choleskyReadsOneTriangleAndZeroesTheOther() {
    assertThat(cholesky(true, f32(new float[] {4, 77}, new float[] {2, 5})))
        .isEqualTo(f32(new float[] {2, 0}, new float[] {1, 2}));
    assertThat(cholesky(false, f32(new float[] {4, 2}, new float[] {77, 5})))
        .isEqualTo(f32(new float[] {2, 1}, new float[] {0, 2}));
  }

  @Test
  void choleskyOfHermitianMatrices() {
    double[][] first = {{4, 0}, {2, 2}};
    double[][] other = {{77, 7}, {6, 0}};
    assertThat(cholesky(false, complex(first, other)))
        .isEqualTo(complex(new double[][] {{2, 0}, {1, 1}}, new double[][] {{0, 0}, {2, 0}}));
    assertThat(
            cholesky(
                true, complex(new double[][] {{4, 3}, {77, 7}}, new double[][] {{2, -2}, {6, 9}})))
        .isEqualTo(complex(new double[][] {{2, 0}, {0, 0}}, new double[][] {{1, -1}, {2, 0}}));
  }

  @Test
  void choleskyOfWhatIsNotPositiveDefiniteIsNaN() {
    // As XLA: the whole matrix, and no other of the batch.
    float[][][] batch = {{{4, 1}, {1, -4}}, {{4, 2}, {2, 5}}, {{-1, 0}, {0, 1}}, {{1, 1}, {1, 1}}};
    float[][] none = {{NAN, NAN}, {NAN, NAN}};
    assertThat(cholesky(true, Literal.of(batch)))
        .isEqualTo(Literal.of(new float[][][] {none, {{2, 0}, {1, 2}}, none, none}));
    assertThat(cholesky(false, f32(new float[] {NAN}))).isEqualTo(f32(new float[] {NAN}));
  }

  @Test
  void choleskyOfNarrowTypesRoundsOnce() {
    for (ElementType type : new ElementType[] {ElementType.F16, ElementType.BF16}) {
      Literal a = Literal.of(type, new double[][] {{2, 1}, {1, 3}});
      double root = Math.sqrt(2);
      assertThat(cholesky(true, a))
          .isEqualTo(Literal.of(type, new double[][] {{root, 0}, {1 / root, Math.sqrt(2.5)}}));
    }
  }

  @Test
  void choleskyOfNothing() {
    for (long[] sizes : new long[][] {{0, 0}, {0, 2, 2}, {3, 0, 0}}) {
      Literal none = Literal.zeros(Shape.of(ElementType.F64, sizes));
      assertThat(cholesky(true, none)).isEqualTo(none);
    }
  }

  @Test
  void choleskyTimesItsAdjointIsTheMatrix() {
    for (ElementType type : new ElementType[] {ElementType.F64, ElementType.C128}) {
      Literal root = random(type, 2, 7, 7);
      XlaBuilder b = new XlaBuilder("square");
      XlaOp x = b.parameter(0, root.shape(), "x");
      XlaOp square = x.dotGeneral(adjoint(x), Dot.batchMatmul(3));
      XlaOp lower = square.cholesky(true);
      XlaOp upper = square.cholesky(false);
      b.tuple(
          square,
          lower.dotGeneral(adjoint(lower), Dot.batchMatmul(3)),
          adjoint(upper).dotGeneral(upper, Dot.batchMatmul(3)));
      Literal result = Evaluators.both().run(b.build(), root);
      assertClose(result.element(1), result.element(0), 1e-13);
      assertClose(result.element(2), result.element(0), 1e-13);
    }
  }

  private static XlaOp adjoint(XlaOp x) {
    XlaOp transposed = x.transpose(0, 2, 1);
    return x.arrayShape().elementType().isComplex() ? transposed.conj() : transposed;
  }

  private static Literal random(ElementType type, long... sizes) {
    Random random = new Random(1);
    LiteralBuilder builder = new LiteralBuilder(Shape.of(type, sizes));
    for (int i = 0; i < Shape.of(type, sizes).elementCount(); i++) {
      if (type.isComplex()) {
        builder.setComplex(i, random.nextGaussian(), random.nextGaussian());
      } else {
        builder.setDouble(i, random.nextGaussian());
      }
    }
    return builder.build();
  }

  private static void assertClose(Literal got, Literal want, double tolerance) {
    assertThat(got.shape()).isEqualTo(want.shape());
    boolean complex = got.elementType().isComplex();
    for (int i = 0; i < got.elementCount(); i++) {
      assertWithMessage("element %s", i)
          .that(complex ? got.realAt(i) : got.doubleAt(i))
          .isWithin(tolerance)
          .of(complex ? want.realAt(i) : want.doubleAt(i));
      assertThat(complex ? got.imaginaryAt(i) : 0)
          .isWithin(tolerance)
          .of(complex ? want.imaginaryAt(i) : 0);
    }
  }

  private static final Literal A = f32(new float[] {2, 77}, new float[] {3, 4});
  private static final Literal B = f32(new float[] {1, 2}, new float[] {3, 4});

  @Test
  void solveAsXla() {
    assertThat(solve(TriangularSolve.left(true), A, B))
        .isEqualTo(f32(new float[] {0.5f, 1}, new float[] {0.375f, 0.25f}));
    assertThat(solve(TriangularSolve.right(true).withTransposeA(TransposeA.TRANSPOSE), A, B))
        .isEqualTo(f32(new float[] {0.5f, 0.125f}, new float[] {1.5f, -0.125f}));
    assertThat(
            solve(
                TriangularSolve.left(false).withUnitDiagonal().withTransposeA(TransposeA.TRANSPOSE),
                A,
                B))
        .isEqualTo(f32(new float[] {1, 2}, new float[] {-74, -150}));
  }

  @Test
  void solveDividesByZeroAsFloatsDo() {
    float inf = Float.POSITIVE_INFINITY;
    Literal singular = f32(new float[] {0, 0}, new float[] {0, 4});
    Literal rhs = f32(new float[] {1, -1, 0}, new float[] {4, 4, 4});
    assertThat(solve(TriangularSolve.left(true), singular, rhs))
        .isEqualTo(f32(new float[] {inf, -inf, NAN}, new float[] {NAN, NAN, NAN}));
    assertThat(solve(TriangularSolve.left(false), singular, rhs))
        .isEqualTo(f32(new float[] {inf, -inf, NAN}, new float[] {1, 1, 1}));
  }

  @Test
  void everyVariantSolvesItsEquation() {
    for (ElementType type : new ElementType[] {ElementType.F64, ElementType.C128}) {
      for (boolean lower : new boolean[] {false, true}) {
        for (boolean unit : new boolean[] {false, true}) {
          for (TransposeA transposeA : TransposeA.values()) {
            residualIsZero(type, new TriangularSolve(true, lower, unit, transposeA));
            residualIsZero(type, new TriangularSolve(false, lower, unit, transposeA));
          }
        }
      }
    }
  }

  private static void residualIsZero(ElementType type, TriangularSolve op) {
    int n = 4;
    int columns = 3;
    Literal a = random(type, 2, n, n);
    Literal rhs = op.leftSide() ? random(type, 2, n, columns) : random(type, 2, columns, n);
    XlaBuilder b = new XlaBuilder("residual");
    XlaOp whole = b.parameter(0, a.shape(), "a");
    XlaOp solution = whole.triangularSolve(b.parameter(1, rhs.shape(), "b"), op);
    XlaOp matrix = transposed(triangle(b, whole, op, n), op.transposeA());
    XlaOp product =
        op.leftSide()
            ? matrix.dotGeneral(solution, Dot.batchMatmul(3))
            : solution.dotGeneral(matrix, Dot.batchMatmul(3));
    assertClose(Evaluators.both().run(b.build(product), a, rhs), rhs, 1e-10);
  }

  /** The triangle that the op reads, with its ones. */
  private static XlaOp triangle(XlaBuilder b, XlaOp a, TriangularSolve op, int n) {
    Shape.Array indices = Shape.of(ElementType.S32, 2, n, n);
    XlaOp row = b.iota(indices, 1);
    XlaOp column = b.iota(indices, 2);
    XlaOp inside = op.lower() ? row.ge(column) : row.le(column);
    XlaOp triangle = inside.select(a, a.zerosLike());
    return op.unitDiagonal() ? row.eq(column).select(a.fullLike(1), triangle) : triangle;
  }

  private static XlaOp transposed(XlaOp a, TransposeA transposeA) {
    return switch (transposeA) {
      case NO_TRANSPOSE -> a;
      case TRANSPOSE -> a.transpose(0, 2, 1);
      case ADJOINT -> adjoint(a);
    };
  }

  @Test
  void solveNothing() {
    Literal noColumns = Literal.zeros(Shape.of(ElementType.F32, 2, 0));
    assertThat(solve(TriangularSolve.left(true), A, noColumns)).isEqualTo(noColumns);
    Literal noRows = Literal.zeros(Shape.of(ElementType.C64, 0, 3));
    Literal none = Literal.zeros(Shape.of(ElementType.C64, 0, 0));
    assertThat(solve(TriangularSolve.left(false), none, noRows)).isEqualTo(noRows);
  }
}
