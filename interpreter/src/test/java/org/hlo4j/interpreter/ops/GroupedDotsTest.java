package org.hlo4j.interpreter.ops;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DotAlgorithm;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;

/** ragged-dot and scaled-dot, and dots with an algorithm. */
final class GroupedDotsTest {
  private static Literal ragged(RaggedDot op, Literal lhs, Literal rhs, Literal groupSizes) {
    XlaBuilder b = new XlaBuilder("ragged");
    XlaOp l = b.parameter(0, lhs.shape(), "lhs");
    XlaOp r = b.parameter(1, rhs.shape(), "rhs");
    l.raggedDot(r, b.parameter(2, groupSizes.shape(), "sizes"), op);
    return Evaluators.both().run(b.build(), lhs, rhs, groupSizes);
  }

  private static Literal sizes(int... sizes) {
    return Literal.of(sizes);
  }

  private static final Literal ROWS = Literal.of(new float[][] {{1, 2}, {3, 4}, {5, 6}, {7, 8}});

  /** [m, k] with [g, k, n] */
  private static final RaggedDot GROUPS_OF_ROWS =
      RaggedDot.of(Dot.general(Dims.of(), Dims.of(1), Dims.of(), Dims.of(1)), 0, 0);

  private static final Literal TWO_MATRICES =
      Literal.of(new float[][][] {{{1}, {10}}, {{100}, {1000}}});

  @Test
  void eachGroupOfRowsHasItsMatrix() {
    assertThat(ragged(GROUPS_OF_ROWS, ROWS, TWO_MATRICES, sizes(1, 2)))
        .isEqualTo(Literal.of(new float[][] {{21}, {4300}, {6500}, {0}}));
    assertThat(ragged(GROUPS_OF_ROWS, ROWS, TWO_MATRICES, sizes(0, 9)))
        .isEqualTo(Literal.of(new float[][] {{2100}, {4300}, {6500}, {8700}}));
    assertThat(ragged(GROUPS_OF_ROWS, ROWS, TWO_MATRICES, sizes(0, 0)))
        .isEqualTo(Literal.of(new float[4][1]));
  }

  @Test
  void batchesMayHaveTheirOwnGroups() {
    // lhs [b, m, k], rhs [b, g, k, n], sizes [b, g]
    RaggedDot op = RaggedDot.of(Dot.general(Dims.of(0), Dims.of(2), Dims.of(0), Dims.of(2)), 1, 1);
    Literal lhs = Literal.of(new int[][][] {{{1}, {2}, {3}}, {{4}, {5}, {6}}});
    Literal rhs = Literal.of(new int[][][][] {{{{1}}, {{10}}}, {{{100}}, {{1000}}}});
    assertThat(ragged(op, lhs, rhs, Literal.of(new long[][] {{1, 2}, {2, 1}})))
        .isEqualTo(Literal.of(new int[][][] {{{1}, {20}, {30}}, {{400}, {500}, {6000}}}));
    assertThat(ragged(op, lhs, rhs, sizes(1, 1)))
        .isEqualTo(Literal.of(new int[][][] {{{1}, {20}, {0}}, {{400}, {5000}, {0}}}));
  }

  @Test
  void freeDimensionsBeforeTheRaggedOneMayHaveTheirOwnGroups() {
    // lhs [x, m, k], rhs [g, k], sizes [x, g]
    RaggedDot op = RaggedDot.of(Dot.general(Dims.of(), Dims.of(2), Dims.of(), Dims.of(1)), 1, 0);
    Literal lhs = Literal.of(new int[][][] {{{1}, {2}, {3}}, {{4}, {5}, {6}}});
    Literal rhs = Literal.of(new int[][] {{1}, {10}});
    assertThat(ragged(op, lhs, rhs, Literal.of(new int[][] {{1, 2}, {2, 1}})))
        .isEqualTo(Literal.of(new int[][] {{1, 20, 30}, {4, 5, 60}}));
    // and one behind it: lhs [m, x, k]
    RaggedDot first = RaggedDot.of(op.dot(), 0, 0);
    assertThat(ragged(first, lhs, rhs, sizes(1, 1)))
        .isEqualTo(Literal.of(new int[][] {{1, 2, 3}, {40, 50, 60}}));
  }

  @Test
  void eachGroupOfSummandsHasItsSum() {
    RaggedDot op = RaggedDot.of(Dot.matmul(), 1);
    Literal lhs = Literal.of(new float[][] {{1, 2, 3, 4}, {5, 6, 7, 8}});
    float infinite = Float.POSITIVE_INFINITY;
    Literal rhs = Literal.of(new float[][] {{1}, {10}, {100}, {infinite}});
    assertThat(ragged(op, lhs, rhs, sizes(1, 2)))
        .isEqualTo(Literal.of(new float[][][] {{{1}, {5}}, {{320}, {760}}}));
  }

  @Test
  void raggedBatchIsThePlainDot() {
    RaggedDot op = RaggedDot.of(Dot.batchMatmul(3), 0);
    Literal lhs = Literal.of(new int[][][] {{{1, 2}}, {{3, 4}}, {{5, 6}}});
    Literal rhs = Literal.of(new int[][][] {{{1}, {10}}, {{1}, {10}}, {{1}, {10}}});
    assertThat(ragged(op, lhs, rhs, sizes(1, 1)))
        .isEqualTo(Literal.of(new int[][][] {{{21}}, {{43}}, {{65}}}));
  }

  @Test
  void raggedZeroSizes() {
    Literal noRows = Literal.zeros(Shape.of(ElementType.F32, 0, 2));
    assertThat(ragged(GROUPS_OF_ROWS, noRows, TWO_MATRICES, sizes(0, 0)))
        .isEqualTo(Literal.zeros(Shape.of(ElementType.F32, 0, 1)));
    Literal noGroups = Literal.zeros(Shape.of(ElementType.F32, 0, 2, 1));
    assertThat(ragged(GROUPS_OF_ROWS, ROWS, noGroups, sizes()))
        .isEqualTo(Literal.of(new float[4][1]));
    Literal nothing = Literal.zeros(Shape.of(ElementType.F32, 0, 1));
    assertThat(ragged(RaggedDot.of(Dot.matmul(), 1), noColumns(), nothing, sizes(3)))
        .isEqualTo(Literal.zeros(Shape.of(ElementType.F32, 1, 2, 1)));
  }

  private static Literal noColumns() {
    return Literal.zeros(Shape.of(ElementType.F32, 2, 0));
  }

  @Test
  void negativeGroupSizesAreRefused() {
    HloException refusal =
        assertThrows(
            HloException.class, () -> ragged(GROUPS_OF_ROWS, ROWS, TWO_MATRICES, sizes(1, -2)));
    assertThat(refusal.summary()).isEqualTo("ragged-dot: size of group 1 got -2, want at least 0");
  }

  private static Literal scaled(
      ScaledDot op, Literal lhs, Literal rhs, Literal lhsScale, Literal rhsScale) {
    XlaBuilder b = new XlaBuilder("scaled");
    XlaOp l = b.parameter(0, lhs.shape(), "lhs");
    XlaOp r = b.parameter(1, rhs.shape(), "rhs");
    XlaOp ls = b.parameter(2, lhsScale.shape(), "lhs_scale");
    l.scaledDot(r, ls, b.parameter(3, rhsScale.shape(), "rhs_scale"), op);
    return Evaluators.both().run(b.build(), lhs, rhs, lhsScale, rhsScale);
  }

  @Test
  void scalesStandForBlocks() {
    ScaledDot op = ScaledDot.of(Dot.matmul().withPreferredElementType(ElementType.F32));
    Literal lhs = Literal.of(ElementType.F8E4M3FN, new float[][] {{1, 2, 3, 4}, {5, 6, 7, 8}});
    Literal rhs = Literal.of(ElementType.F8E4M3FN, new float[][] {{1}, {1}, {2}, {2}});
    Literal lhsScale = Literal.of(ElementType.F8E8M0FNU, new float[][] {{1, 0.5f}, {2, 4}});
    Literal rhsScale = Literal.of(ElementType.F8E8M0FNU, new float[][] {{8}, {0.125f}});
    // row 0: 8 * (1 + 2) + 0.5 * 0.125 * 2 * (3 + 4)
    assertThat(scaled(op, lhs, rhs, lhsScale, rhsScale))
        .isEqualTo(Literal.of(new float[][] {{24.875f}, {191}}));
    Literal four = Literal.of(ElementType.F8E8M0FNU, 4f);
    assertThat(scaled(op, lhs, rhs, lhsScale, four))
        .isEqualTo(Literal.of(new float[][] {{40}, {568}}));
  }

  @Test
  void scaledZeroSizes() {
    ScaledDot op = ScaledDot.of(Dot.matmul());
    Literal lhs = Literal.zeros(Shape.of(ElementType.BF16, 2, 0));
    Literal rhs = Literal.zeros(Shape.of(ElementType.BF16, 0, 1));
    assertThat(scaled(op, lhs, rhs, lhs, Literal.of(ElementType.BF16, 1f)))
        .isEqualTo(Literal.zeros(Shape.of(ElementType.BF16, 2, 1)));
  }

  @Test
  void anAlgorithmDoesNotMakeADotLessExact() {
    XlaBuilder b = new XlaBuilder("dot");
    XlaOp x = b.constant(new float[][] {{1, 0x1p-24f}});
    XlaOp y = b.constant(new float[][] {{1}, {1}});
    x.dotGeneral(
        y,
        Dot.matmul()
            .withAlgorithm(DotAlgorithm.DOT_BF16_BF16_F32)
            .withPreferredElementType(ElementType.F64));
    assertThat(Evaluators.both().run(b.build()))
        .isEqualTo(Literal.of(new double[][] {{1 + 0x1p-24}}));
  }
}
