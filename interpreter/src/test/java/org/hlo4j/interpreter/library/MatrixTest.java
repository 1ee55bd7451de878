package org.hlo4j.interpreter.library;

import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.testing.LiteralSubject.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.truth.Truth;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.linalg.Matrix;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MatrixTest {
  private static final int[][] WIDE = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
  private static final int[][] SQUARE = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  private static final int[][][] BATCH = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};

  private static Literal run(Object x, Function<XlaOp, XlaOp> program) {
    XlaBuilder b = new XlaBuilder("matrix");
    HloModule module = b.build(program.apply(b.constant(x)));
    Verifier.strict().verify(module);
    return Evaluators.both().run(module);
  }

  @Test
  void identityMatrix() {
    XlaBuilder b = new XlaBuilder("identity");
    Matrix.identityMatrix(b, F32, 2, 3);
    assertThat(Evaluators.both().run(b.build()))
        .isEqualTo(Literal.of(new float[][] {{1, 0, 0}, {0, 1, 0}}));
  }

  @Test
  void diagonalMask() {
    assertThat(run(WIDE, x -> Matrix.getDiagonalMask(x, 1)))
        .isEqualTo(
            Literal.of(
                new boolean[][] {
                  {false, true, false, false},
                  {false, false, true, false},
                  {false, false, false, true}
                }));
    assertThat(run(BATCH, x -> Matrix.getDiagonalMask(x, -1).convertElementType(S32)))
        .holds(new int[][][] {{{0, 0}, {1, 0}}, {{0, 0}, {1, 0}}});
    assertThat(
            run(SQUARE, x -> Matrix.getDiagonalMask(x, Integer.MIN_VALUE).convertElementType(S32)))
        .holds(new int[3][3]);
  }

  @Test
  void getMatrixDiagonal() {
    Object[][] rows = {
      {0, new int[] {1, 6, 11}},
      {1, new int[] {2, 7, 12}},
      {3, new int[] {4}},
      {4, new int[] {}},
      {-1, new int[] {5, 10}},
      {-2, new int[] {9}},
      {-3, new int[] {}},
      {Integer.MAX_VALUE, new int[] {}},
      {Integer.MIN_VALUE, new int[] {}},
    };
    for (Object[] row : rows) {
      int k = (int) row[0];
      assertThat(run(WIDE, x -> Matrix.getMatrixDiagonal(x, k))).holds(row[1]);
      assertThat(run(WIDE, x -> Matrix.getMatrixDiagonalViaGather(x, k))).holds(row[1]);
    }
    assertThat(run(BATCH, x -> Matrix.getMatrixDiagonal(x, 0))).holds(new int[][] {{1, 4}, {5, 8}});
    assertThat(run(BATCH, x -> Matrix.getMatrixDiagonalViaGather(x, -1)))
        .holds(new int[][] {{3}, {7}});
    assertThat(
            run(
                new float[][] {{-0f, 1}, {Float.NaN, Float.NaN}},
                x -> Matrix.getMatrixDiagonal(x, 0)))
        .holds(new float[] {-0f, Float.NaN});
    assertThat(run(Literal.zeros(Shape.of(F32, 0, 3)), x -> Matrix.getMatrixDiagonal(x, 0)))
        .holds(new float[] {});
  }

  @Test
  void setMatrixDiagonal() {
    assertThat(
            run(
                WIDE,
                x -> Matrix.setMatrixDiagonal(x, x.builder().constant(new int[] {0, 0, 0}), 1)))
        .holds(new int[][] {{1, 0, 3, 4}, {5, 6, 0, 8}, {9, 10, 11, 0}});
    assertThat(
            run(
                WIDE,
                x -> Matrix.setMatrixDiagonal(x, x.builder().constant(new int[] {-1, -2}), -1)))
        .holds(new int[][] {{1, 2, 3, 4}, {-1, 6, 7, 8}, {9, -2, 11, 12}});
    assertThat(
            run(
                BATCH,
                x ->
                    Matrix.setMatrixDiagonal(
                        x, x.builder().constant(new int[][] {{0, -1}, {-2, -3}}), 0)))
        .holds(new int[][][] {{{0, 2}, {3, -1}}, {{-2, 6}, {7, -3}}});
    assertThat(run(SQUARE, x -> Matrix.setMatrixDiagonal(x, x.builder().constant(new int[] {}), 3)))
        .holds(SQUARE);
  }

  @Test
  void triangles() {
    assertThat(run(SQUARE, Matrix::lowerTriangle))
        .holds(new int[][] {{1, 0, 0}, {4, 5, 0}, {7, 8, 9}});
    assertThat(run(SQUARE, Matrix::upperTriangle))
        .holds(new int[][] {{1, 2, 3}, {0, 5, 6}, {0, 0, 9}});
    assertThat(run(WIDE, x -> Matrix.triangle(x, false)))
        .holds(new int[][] {{1, 2, 3, 4}, {0, 6, 7, 8}, {0, 0, 11, 12}});
    assertThat(run(SQUARE, x -> Matrix.triangleMask(x, 1).convertElementType(S32)))
        .holds(new int[][] {{1, 1, 0}, {1, 1, 1}, {1, 1, 1}});
    assertThat(run(BATCH, Matrix::lowerTriangle))
        .holds(new int[][][] {{{1, 0}, {3, 4}}, {{5, 0}, {7, 8}}});
  }

  @Test
  void symmetrize() {
    assertThat(run(SQUARE, x -> Matrix.symmetrize(x, true)))
        .holds(new int[][] {{1, 4, 7}, {4, 5, 8}, {7, 8, 9}});
    assertThat(run(SQUARE, x -> Matrix.symmetrize(x, false)))
        .holds(new int[][] {{1, 2, 3}, {2, 5, 6}, {3, 6, 9}});
    Literal complex = Literal.of(C64, new float[][][] {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}});
    assertThat(run(complex, x -> Matrix.symmetrize(x, true)))
        .holds(new float[][][] {{{1, 0}, {5, -6}}, {{5, 6}, {7, 0}}});
  }

  @Test
  void batchDot() {
    float[][] a = {{1, 2}, {3, 4}};
    float[][] b = {{5, 6}, {7, 8}};
    assertThat(run(a, x -> Matrix.batchDot(x, x.builder().constant(b))))
        .holds(new float[][] {{19, 22}, {43, 50}});
    assertThat(run(a, x -> Matrix.batchDot(x, true, x.builder().constant(b), false)))
        .holds(new float[][] {{26, 30}, {38, 44}});
    assertThat(run(a, x -> Matrix.batchDot(x, false, x.builder().constant(b), true)))
        .holds(new float[][] {{17, 23}, {39, 53}});
    assertThat(run(a, x -> Matrix.batchDot(x, true, x.builder().constant(b), true)))
        .holds(new float[][] {{23, 31}, {34, 46}});
    assertThat(run(a, x -> Matrix.batchDot(x, x.broadcast(2))))
        .holds(new float[][][] {{{7, 10}, {15, 22}}, {{7, 10}, {15, 22}}});
  }

  /** Each row is what {@code x @ y} gives in NumPy, for x = 1, 2, 3, … and y likewise. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "3       | 3       | f32[] 14",
        "2,3     | 3       | f32[2] {14, 32}",
        "3       | 3,2     | f32[2] {22, 28}",
        "2,3     | 3,2     | f32[2,2] {{22, 28}, {49, 64}}",
        "2,1,2   | 2,2,1   | f32[2,1,1] {{{5}}, {{25}}}",
        "2,1,2   | 2,2     | f32[2,1,2] {{{7, 10}}, {{15, 22}}}",
        "2,2     | 2,2,1   | f32[2,2,1] {{{5}, {11}}, {{11}, {25}}}",
        "2,1,2   | 1,2,1   | f32[2,1,1] {{{5}}, {{11}}}",
        "2,1,1,2 | 2,2,1   | f32[2,2,1,1] {{{{5}}, {{11}}}, {{{11}}, {{25}}}}",
        "2       | 2,2,1   | f32[2,1] {{5}, {11}}",
        "2,1,2   | 2       | f32[2,1] {{5}, {11}}",
        "2,0,2   | 2,2,1   | f32[2,0,1] {}",
      })
  void matmul(String left, String right, String product) {
    XlaBuilder b = new XlaBuilder("matmul");
    XlaOp x = counted(b, left);
    HloModule module = b.build(x.matmul(counted(b, right)));
    Verifier.strict().verify(module);
    assertThat(Evaluators.both().run(module)).isEqualTo(Parser.parseLiteral(product));
  }

  private static XlaOp counted(XlaBuilder b, String sizes) {
    Shape shape = Shape.parse("f32[" + sizes + "]");
    int count = (int) ((Shape.Array) shape).elementCount();
    return b.constant(
        Literal.of(shape, IntStream.rangeClosed(1, count).asDoubleStream().toArray()));
  }

  @Test
  void transposeInMinorDims() {
    assertThat(run(BATCH, Matrix::transposeInMinorDims))
        .holds(new int[][][] {{{1, 3}, {2, 4}}, {{5, 7}, {6, 8}}});
    assertThat(run(BATCH, x -> Matrix.maybeTransposeInMinorDims(x, true)))
        .holds(new int[][][] {{{1, 3}, {2, 4}}, {{5, 7}, {6, 8}}});
    assertThat(run(BATCH, x -> Matrix.maybeTransposeInMinorDims(x, false))).holds(BATCH);
  }

  private static void assertRefused(String message, Object x, Function<XlaOp, XlaOp> program) {
    HloException refusal = assertThrows(HloException.class, () -> run(x, program));
    Truth.assertThat(refusal.summary()).isEqualTo(message);
  }

  @Test
  void refused() {
    int[] vector = {1, 2};
    String rank = ": x got s32[2], want rank 2 at least: matrices in the last two dimensions";
    assertRefused("getDiagonalMask" + rank, vector, x -> Matrix.getDiagonalMask(x, 0));
    assertRefused("getMatrixDiagonal" + rank, vector, x -> Matrix.getMatrixDiagonal(x, 0));
    assertRefused("triangleMask" + rank, vector, x -> Matrix.triangleMask(x, 0));
    assertRefused("triangle" + rank, vector, x -> Matrix.triangle(x, true));
    assertRefused("symmetrize" + rank, vector, x -> Matrix.symmetrize(x, true));
    assertRefused("transposeInMinorDims" + rank, vector, Matrix::transposeInMinorDims);
    assertRefused(
        "maybeTransposeInMinorDims" + rank,
        vector,
        x -> Matrix.maybeTransposeInMinorDims(x, false));
    assertRefused("batchDot" + rank, vector, x -> Matrix.batchDot(x, x));
    assertRefused(
        "setMatrixDiagonal: diag got s32[3,4], want s32[3]",
        WIDE,
        x -> Matrix.setMatrixDiagonal(x, x, 0));
    assertRefused(
        "symmetrize: x got s32[3,4], want the last two sizes equal",
        WIDE,
        x -> Matrix.symmetrize(x, true));
    assertRefused(
        "einsum: label k got sizes 4 and 3, want equal ones or 1",
        WIDE,
        x -> Matrix.batchDot(x, x));
  }
}
