package org.hlo4j.interpreter.conformance;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.builder.XlaOp.broadcastDimensions;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;

/** Ops that move elements and never ask what they are. */
class MovementTest {
  private final XlaBuilder b = new XlaBuilder("movement");

  private static Literal run(XlaOp root, Literal... arguments) {
    return Evaluators.both().run(root.builder().build(root), arguments);
  }

  private XlaOp twoByThree() {
    return b.constant(new int[][] {{1, 2, 3}, {4, 5, 6}});
  }

  @Test
  void iotaCountsAlongItsDimension() {
    XlaOp rows = b.iota(Shape.of(ElementType.S32, 2, 3), 0);
    XlaOp columns = b.iota(Shape.of(ElementType.F32, 2, 3), 1);
    XlaOp complex = b.iota(ElementType.C64, 2);
    XlaOp none = b.iota(Shape.of(ElementType.S32, 0), 0);
    Literal result = run(b.tuple(rows, columns, complex, none));
    LiteralSubject.assertThat(result.element(0)).holds(new int[][] {{0, 0, 0}, {1, 1, 1}});
    LiteralSubject.assertThat(result.element(1)).holds(new float[][] {{0, 1, 2}, {0, 1, 2}});
    LiteralSubject.assertThat(result.element(2)).holds(new float[][] {{0, 0}, {1, 0}});
    LiteralSubject.assertThat(result.element(3)).holds(new int[0]);
  }

  @Test
  void iotaOfANarrowTypeWrapsOrRounds() {
    Literal result = run(b.tuple(b.iota(ElementType.U8, 258), b.iota(ElementType.BF16, 258)));
    assertThat(result.element(0).longAt(255)).isEqualTo(255);
    assertThat(result.element(0).longAt(257)).isEqualTo(1);
    assertThat(result.element(1).doubleAt(256)).isEqualTo(256);
    assertThat(result.element(1).doubleAt(257)).isEqualTo(256);
  }

  @Test
  void broadcastAddsDimensionsOnTheLeft() {
    LiteralSubject.assertThat(run(b.constant(new int[] {7, 8}).broadcast(2, 1)))
        .holds(new int[][][] {{{7, 8}}, {{7, 8}}});
  }

  @Test
  void broadcastInDimStretches() {
    XlaOp column = b.constant(new int[][] {{1}, {2}});
    LiteralSubject.assertThat(
            run(column.broadcastInDim(Dims.of(2, 2, 3), broadcastDimensions(0, 2))))
        .holds(new int[][][] {{{1, 1, 1}, {1, 1, 1}}, {{2, 2, 2}, {2, 2, 2}}});
  }

  @Test
  void broadcastToNothing() {
    LiteralSubject.assertThat(run(b.constant(1f).broadcast(0, 3)))
        .isEqualTo(Literal.zeros(Shape.of(ElementType.F32, 0, 3)));
  }

  /** XLA's text may permute the dimensions of a broadcast; the builder never does. */
  @Test
  void broadcastWithPermutedDimensions() {
    Shape.Array shape = Shape.of(ElementType.S32, 2, 3);
    HloInstruction x = HloInstruction.of("x", new Parameter(0, shape));
    HloInstruction turned =
        HloInstruction.of(
            "turned", new Broadcast(Shape.of(ElementType.S32, 3, 2), Dims.of(1, 0)), x);
    HloModule module =
        HloModule.create("m", HloComputation.create("m", List.of(x, turned), turned));
    LiteralSubject.assertThat(
            Evaluators.both().run(module, Literal.of(new int[][] {{1, 2, 3}, {4, 5, 6}})))
        .holds(new int[][] {{1, 4}, {2, 5}, {3, 6}});
  }

  @Test
  void reshapeKeepsTheOrder() {
    XlaOp x = twoByThree();
    Literal result =
        run(b.tuple(x.reshape(3, 2), x.reshape(6), x.reshape(1, 6, 1), x.collapse(0, 1)));
    LiteralSubject.assertThat(result.element(0)).holds(new int[][] {{1, 2}, {3, 4}, {5, 6}});
    LiteralSubject.assertThat(result.element(1)).holds(new int[] {1, 2, 3, 4, 5, 6});
    LiteralSubject.assertThat(result.element(2))
        .holds(new int[][][] {{{1}, {2}, {3}, {4}, {5}, {6}}});
    LiteralSubject.assertThat(result.element(3)).holds(new int[] {1, 2, 3, 4, 5, 6});
  }

  @Test
  void reshapeOfAScalarAndOfNothing() {
    XlaOp one = b.constant(5).reshape(1, 1);
    XlaOp none = b.zeros(Shape.of(ElementType.F32, 0, 3)).reshape(7, 0);
    Literal result = run(b.tuple(one, one.reshape(), none));
    LiteralSubject.assertThat(result.element(0)).holds(new int[][] {{5}});
    LiteralSubject.assertThat(result.element(1)).holds(5);
    LiteralSubject.assertThat(result.element(2)).hasShape(Shape.of(ElementType.F32, 7, 0));
  }

  @Test
  void transposePermutes() {
    XlaOp x = b.iota(ElementType.S32, 6).reshape(1, 2, 3);
    Literal result =
        run(b.tuple(x.transpose(2, 0, 1), x.transpose(0, 1, 2), twoByThree().transpose(1, 0)));
    LiteralSubject.assertThat(result.element(0))
        .holds(new int[][][] {{{0, 3}}, {{1, 4}}, {{2, 5}}});
    LiteralSubject.assertThat(result.element(1)).holds(new int[][][] {{{0, 1, 2}, {3, 4, 5}}});
    LiteralSubject.assertThat(result.element(2)).holds(new int[][] {{1, 4}, {2, 5}, {3, 6}});
  }

  @Test
  void transposeOfAScalarAndOfNothing() {
    Literal result =
        run(
            b.tuple(
                b.constant(3).transpose(),
                b.zeros(Shape.of(ElementType.S8, 0, 4)).transpose(1, 0)));
    LiteralSubject.assertThat(result.element(0)).holds(3);
    LiteralSubject.assertThat(result.element(1)).hasShape(Shape.of(ElementType.S8, 4, 0));
  }

  @Test
  void copyAndConstantAndFull() {
    XlaOp x = twoByThree();
    Literal result =
        run(
            b.tuple(
                x.copy(), b.full(Shape.of(ElementType.U64, 2), -1L), x.zerosLike(), x.fullLike(9)));
    LiteralSubject.assertThat(result.element(0)).holds(new int[][] {{1, 2, 3}, {4, 5, 6}});
    assertThat(result.element(1).toLongs()).isEqualTo(new long[] {-1, -1});
    LiteralSubject.assertThat(result.element(2)).holds(new int[2][3]);
    LiteralSubject.assertThat(result.element(3)).holds(new int[][] {{9, 9, 9}, {9, 9, 9}});
  }

  @Test
  void movementKeepsThePayloadOfNaN() {
    Literal nan = ElementsTest.bits(ElementType.F32, 0x7f800001L, 0xffc12345L);
    XlaOp x = b.parameter(0, nan.shape(), "x");
    Literal result =
        run(
            b.tuple(
                x.reshape(2, 1).transpose(1, 0).reshape(2), x.broadcast(1).reshape(2), x.copy()),
            nan);
    for (Literal moved : result.elements()) {
      assertThat(moved.bitsAt(0)).isEqualTo(0x7f800001L);
      assertThat(moved.bitsAt(1)).isEqualTo(0xffc12345L);
    }
  }

  @Test
  void complexNumbersAndFourBitsMoveWhole() {
    XlaOp complex = b.constant(ElementType.C128, new double[][] {{1, 2}, {3, 4}});
    XlaOp nibbles = b.constant(ElementType.S4, new int[][] {{-8, 7}, {-1, 0}});
    Literal result = run(b.tuple(complex.broadcast(2).transpose(1, 0), nibbles.transpose(1, 0)));
    LiteralSubject.assertThat(result.element(0))
        .holds(new double[][][] {{{1, 2}, {1, 2}}, {{3, 4}, {3, 4}}});
    LiteralSubject.assertThat(result.element(1)).holds(new int[][] {{-8, -1}, {7, 0}});
  }
}
