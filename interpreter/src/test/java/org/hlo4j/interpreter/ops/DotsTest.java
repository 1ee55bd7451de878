package org.hlo4j.interpreter.ops;

import static com.google.common.truth.Truth.assertThat;

import java.util.Random;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;

/** Sums of products. */
class DotsTest {
  private final XlaBuilder b = new XlaBuilder("dots");

  private static Literal run(XlaOp root) {
    return Evaluators.both().run(root.builder().build(root));
  }

  @Test
  void vectorsAndMatrices() {
    XlaOp matrix = b.constant(new float[][] {{1, 2, 3}, {4, 5, 6}});
    XlaOp vector = b.constant(new float[] {1, 0, -1});
    XlaOp left = b.constant(new float[] {10, 1});
    Literal result =
        run(
            b.tuple(
                vector.dot(vector),
                matrix.dot(vector),
                left.dot(matrix),
                matrix.dot(matrix.transpose(1, 0))));
    LiteralSubject.assertThat(result.element(0)).holds(2f);
    LiteralSubject.assertThat(result.element(1)).holds(new float[] {-2, -2});
    LiteralSubject.assertThat(result.element(2)).holds(new float[] {14, 25, 36});
    LiteralSubject.assertThat(result.element(3)).holds(new float[][] {{14, 32}, {32, 77}});
  }

  /** Batch dimensions first, then what is left of lhs, then what is left of rhs. */
  @Test
  void batchDimensionsAnywhere() {
    XlaOp lhs = b.iota(ElementType.S32, 12).reshape(3, 2, 2);
    XlaOp rhs = b.iota(ElementType.S32, 8).reshape(2, 2, 2);
    Dot dot = Dot.general(Dims.of(1), Dims.of(2), Dims.of(2), Dims.of(0));
    int[][][] want = new int[2][3][2];
    for (int batch = 0; batch < 2; batch++) {
      for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 2; j++) {
          for (int k = 0; k < 2; k++) {
            want[batch][i][j] += (i * 4 + batch * 2 + k) * (k * 4 + j * 2 + batch);
          }
        }
      }
    }
    LiteralSubject.assertThat(run(lhs.dotGeneral(rhs, dot))).holds(want);
  }

  @Test
  void severalContractingDimensions() {
    XlaOp lhs = b.iota(ElementType.S32, 12).reshape(2, 3, 2);
    XlaOp rhs = b.iota(ElementType.S32, 6).reshape(2, 3);
    Dot dot = Dot.general(Dims.of(), Dims.of(1, 2), Dims.of(), Dims.of(1, 0));
    int[] want = new int[2];
    for (int i = 0; i < 2; i++) {
      for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 2; l++) {
          want[i] += (i * 6 + k * 2 + l) * (l * 3 + k);
        }
      }
    }
    LiteralSubject.assertThat(run(lhs.dotGeneral(rhs, dot))).holds(want);
  }

  @Test
  void nothingContractedIsTheOuterProduct() {
    XlaOp lhs = b.constant(new int[] {1, 2});
    XlaOp rhs = b.constant(new int[] {3, 4, 5});
    Dot outer = Dot.general(Dims.of(), Dims.of(), Dims.of(), Dims.of());
    XlaOp scalars = b.constant(6).dotGeneral(b.constant(7), outer);
    Literal result = run(b.tuple(lhs.dotGeneral(rhs, outer), scalars));
    LiteralSubject.assertThat(result.element(0)).holds(new int[][] {{3, 4, 5}, {6, 8, 10}});
    LiteralSubject.assertThat(result.element(1)).holds(42);
  }

  @Test
  void contractionOfSizeZeroIsZero() {
    XlaOp lhs = b.zeros(Shape.of(ElementType.F32, 2, 0));
    XlaOp rhs = b.zeros(Shape.of(ElementType.F32, 0, 3));
    LiteralSubject.assertThat(run(lhs.dot(rhs))).holds(new float[2][3]);
  }

  @Test
  void resultOfSizeZero() {
    XlaOp lhs = b.zeros(Shape.of(ElementType.F32, 0, 2));
    XlaOp rhs = b.zeros(Shape.of(ElementType.F32, 2, 3));
    LiteralSubject.assertThat(run(lhs.dot(rhs))).hasShape(Shape.of(ElementType.F32, 0, 3));
  }

  @Test
  void integersOfDifferentTypesWithAWiderResult() {
    XlaOp lhs = b.constant(ElementType.S8, new int[] {-128, 127});
    XlaOp rhs = b.constant(ElementType.U8, new int[] {255, 255});
    Dot dot = Dot.matrix(1).withPreferredElementType(ElementType.S32);
    LiteralSubject.assertThat(run(lhs.dotGeneral(rhs, dot))).holds(-255);
  }

  @Test
  void fourBits() {
    XlaOp lhs = b.constant(ElementType.S4, new int[] {-8, 7});
    XlaOp rhs = b.constant(ElementType.U4, new int[] {15, 15});
    XlaOp wide = lhs.dotGeneral(rhs, Dot.matrix(1).withPreferredElementType(ElementType.S32));
    XlaOp narrow = lhs.dot(lhs);
    Literal result = run(b.tuple(wide, narrow));
    LiteralSubject.assertThat(result.element(0)).holds(-15);
    LiteralSubject.assertThat(result.element(1)).holds(1); // 64 + 49 = 113 = 1 modulo 16
  }

  @Test
  void integersWrap() {
    XlaOp x = b.constant(new byte[] {100, 100});
    LiteralSubject.assertThat(run(x.dot(x))).holds((byte) 20000);
  }

  @Test
  void bf16AccumulatesWideAndRoundsOnce() {
    XlaOp ones = b.full(Shape.of(ElementType.BF16, 1000), 1);
    XlaOp x = b.constant(ElementType.BF16, new float[] {256, 1, -256});
    XlaOp unit = b.constant(ElementType.BF16, new float[] {1, 1, 1});
    Literal result = run(b.tuple(ones.dot(ones), x.dot(unit)));
    assertThat(result.element(0).doubleAt(0)).isEqualTo(1000);
    assertThat(result.element(1).doubleAt(0)).isEqualTo(1);
  }

  @Test
  void bf16WithAResultOfF32() {
    XlaOp x = b.constant(ElementType.BF16, new float[] {256, 1});
    XlaOp dot = x.dotGeneral(x, Dot.matrix(1).withPreferredElementType(ElementType.F32));
    LiteralSubject.assertThat(run(dot)).holds(65537f);
  }

  @Test
  void complexNumbersAndTruthValues() {
    XlaOp complex = b.constant(ElementType.C64, new float[][] {{1, 2}, {3, -1}});
    XlaOp flags = b.constant(new boolean[][] {{true, false}, {false, false}});
    Literal result = run(b.tuple(complex.dot(complex), flags.dot(flags)));
    LiteralSubject.assertThat(result.element(0)).holds(new float[] {5, -2}); // (-3+4i) + (8-6i)
    LiteralSubject.assertThat(result.element(1))
        .holds(new boolean[][] {{true, false}, {false, false}});
  }

  /** A dot of f32 is as near to the real sum as one rounding allows. */
  @Test
  void f32IsTheRealSumRounded() {
    Random random = new Random(7);
    float[] lhs = new float[500];
    float[] rhs = new float[500];
    double sum = 0;
    for (int i = 0; i < lhs.length; i++) {
      lhs[i] = random.nextFloat() - 0.5f;
      rhs[i] = random.nextFloat() - 0.5f;
      sum += (double) lhs[i] * rhs[i];
    }
    LiteralSubject.assertThat(run(b.constant((Object) lhs).dot(b.constant((Object) rhs))))
        .isWithinUlps(1, Literal.of((float) sum));
  }
}
