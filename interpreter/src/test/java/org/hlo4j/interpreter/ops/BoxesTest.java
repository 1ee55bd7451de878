package org.hlo4j.interpreter.ops;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;

/** Ops that move boxes of elements: slice, dynamic-slice, pad, concatenate, reverse. */
class BoxesTest {
  private final XlaBuilder b = new XlaBuilder("boxes");

  private static Literal run(XlaOp root) {
    return Evaluators.both().run(root.builder().build(root));
  }

  private static void holds(Object want, XlaOp root) {
    LiteralSubject.assertThat(run(root)).holds(want);
  }

  private XlaOp threeByFour() {
    return b.constant(new int[][] {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}});
  }

  private XlaOp fromZeroTo(int size) {
    return b.iota(ElementType.S32, size);
  }

  @Test
  void sliceTakesEveryStride() {
    XlaOp slice = threeByFour().slice(Dims.of(0, 1), Dims.of(3, 4), Dims.of(2, 2));
    holds(new int[][] {{1, 3}, {9, 11}}, slice);
  }

  @Test
  void sliceInOneDimension() {
    holds(new int[][] {{1, 2}, {5, 6}, {9, 10}}, threeByFour().sliceInDim(1, 3, 1, 1));
  }

  @Test
  void sliceOfNothingOfAScalarAndWithTheLongestStride() {
    holds(new int[0], fromZeroTo(5).sliceInDim(5, 5, 1, 0));
    holds(
        new int[] {2},
        new XlaBuilder("long")
            .iota(ElementType.S32, 5)
            .slice(Dims.of(2), Dims.of(5), Dims.of(Long.MAX_VALUE)));
    holds(7, new XlaBuilder("scalar").constant(7).slice(Dims.of(), Dims.of()));
  }

  private static int[] dynamicSlice(Object start) {
    XlaBuilder b = new XlaBuilder("dynamic");
    XlaOp slice = b.iota(ElementType.S32, 5).dynamicSlice(List.of(b.constant(start)), 2);
    long[] got = run(slice).toLongs();
    return new int[] {(int) got[0], (int) got[1]};
  }

  @Test
  void dynamicSliceIsMovedToWhereItFits() {
    assertThat(dynamicSlice(2)).isEqualTo(new int[] {2, 3});
    assertThat(dynamicSlice(9)).isEqualTo(new int[] {3, 4});
    assertThat(dynamicSlice(-1)).isEqualTo(new int[] {0, 1});
    assertThat(dynamicSlice(Long.MAX_VALUE)).isEqualTo(new int[] {3, 4});
    assertThat(dynamicSlice(Long.MIN_VALUE)).isEqualTo(new int[] {0, 1});
    assertThat(dynamicSlice(Literal.of(ElementType.U64, 1))).isEqualTo(new int[] {1, 2});
  }

  @Test
  void unsignedStartBeyondTheSignedRangeIsLarge() {
    LiteralBuilder large = new LiteralBuilder(Shape.of(ElementType.U64));
    large.setLong(0, -1);
    assertThat(dynamicSlice(large.build())).isEqualTo(new int[] {3, 4});
    LiteralBuilder wide = new LiteralBuilder(Shape.of(ElementType.U32));
    wide.setLong(0, 0xffffffffL);
    assertThat(dynamicSlice(wide.build())).isEqualTo(new int[] {3, 4});
  }

  @Test
  void dynamicSliceOfTwoDimensionsAndOfNone() {
    List<XlaOp> starts = List.of(b.constant(1), b.constant(3));
    holds(new int[][] {{6, 7}, {10, 11}}, threeByFour().dynamicSlice(starts, 2, 2));
    holds(7, new XlaBuilder("scalar").constant(7).dynamicSlice(List.of()));
  }

  @Test
  void startsMayBeOneVector() {
    XlaOp starts = b.constant(new int[] {1, 2});
    holds(new int[][] {{6, 7}}, threeByFour().dynamicSlice(List.of(starts), 1, 2));
  }

  @Test
  void dynamicUpdateSliceReplacesABox() {
    XlaOp update = b.constant(new int[][] {{-1, -2}});
    XlaOp result = threeByFour().dynamicUpdateSlice(update, b.constant(2), b.constant(9));
    holds(new int[][] {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, -1, -2}}, result);
  }

  @Test
  void dynamicUpdateSliceWithNothingAndOfAScalar() {
    XlaOp none = b.constant(new int[0]);
    holds(new int[] {0, 1, 2}, fromZeroTo(3).dynamicUpdateSlice(none, b.constant(1)));
    XlaBuilder scalars = new XlaBuilder("scalars");
    holds(8, scalars.constant(7).dynamicUpdateSlice(scalars.constant(8)));
  }

  private static void padded(int[] want, int size, long low, long high, long interior) {
    XlaBuilder b = new XlaBuilder("pad");
    XlaOp operand = b.iota(ElementType.S32, size).add(b.constant(1));
    PadConfig padding = new PadConfig(Dims.of(low), Dims.of(high), Dims.of(interior));
    holds(want, operand.pad(b.constant(0), padding));
  }

  @Test
  void padAddsAndCutsOff() {
    padded(new int[] {0, 1, 2, 3, 0, 0}, 3, 1, 2, 0);
    padded(new int[] {2}, 3, -1, -1, 0);
    padded(new int[] {1, 0, 2, 0, 3}, 3, 0, 0, 1);
    padded(new int[] {0, 2, 0, 3, 0}, 3, -1, 1, 1);
    padded(new int[] {2, 0, 3}, 3, -2, 0, 1);
    padded(new int[] {0, 1, 0, 0, 2}, 3, 1, -3, 2);
    padded(new int[] {}, 3, -2, -1, 0);
    padded(new int[] {0, 0}, 3, -5, 4, 0);
    padded(new int[] {0, 0}, 3, 4, -5, 0);
    padded(new int[] {0, 0}, 0, 1, 1, 5);
    padded(new int[] {0, 1}, 1, 1, 0, Long.MAX_VALUE - 1);
    padded(new int[] {0, 0, 0, 0}, 5, Long.MIN_VALUE, Long.MAX_VALUE, 0);
  }

  /** The case of StableHLO's interpreter tests: edges of either sign and interior at once. */
  @Test
  void padOfTwoDimensions() {
    XlaOp operand = b.constant(new long[][] {{0, 0, 0}, {0, 1, 2}, {3, 4, 5}});
    PadConfig padding = PadConfig.none(2).withDimension(0, 1, -1, 0).withDimension(1, -1, 1, 1);
    holds(
        new long[][] {{-1, -1, -1, -1, -1}, {-1, 0, -1, 0, -1}, {-1, 1, -1, 2, -1}},
        operand.pad(b.constant(-1L), padding));
  }

  @Test
  void padInOneDimensionAndOfAScalar() {
    XlaOp operand = b.constant(new int[][] {{1}, {2}});
    holds(new int[][] {{9, 1, 9}, {9, 2, 9}}, operand.padInDim(b.constant(9), 1, 1, 1));
    XlaBuilder scalars = new XlaBuilder("scalars");
    holds(1, scalars.constant(1).pad(scalars.constant(2), PadConfig.none(0)));
  }

  @Test
  void concatenatePutsArraysBehindOneAnother() {
    XlaOp x = b.constant(new int[][] {{1, 2}, {3, 4}});
    XlaOp none = b.constant(ElementType.S32, new int[2][0]);
    XlaOp y = b.constant(new int[][] {{5}, {6}});
    holds(new int[][] {{1, 2, 5}, {3, 4, 6}}, b.concatInDim(List.of(x, none, y), 1));
  }

  @Test
  void concatenateOfRows() {
    XlaOp x = b.constant(new int[][] {{1, 2}});
    XlaOp y = b.constant(new int[][] {{3, 4}, {5, 6}});
    holds(new int[][] {{1, 2}, {3, 4}, {5, 6}}, b.concatInDim(List.of(x, y), 0));
  }

  @Test
  void reverseIterationsDimensionsRound() {
    holds(new int[][] {{11, 10, 9, 8}, {7, 6, 5, 4}, {3, 2, 1, 0}}, threeByFour().rev(0, 1));
    XlaBuilder rows = new XlaBuilder("rows");
    holds(new int[][] {{3, 4}, {1, 2}}, rows.constant(new int[][] {{1, 2}, {3, 4}}).rev(0));
    holds(5, new XlaBuilder("scalar").constant(5).rev());
    holds(new int[0], new XlaBuilder("none").iota(ElementType.S32, 0).rev(0));
  }

  @Test
  void elementsOfEveryTypeAreMovedBitByBit() {
    for (ElementType type : ElementType.values()) {
      XlaBuilder each = new XlaBuilder("types");
      Literal values = distinct(type);
      XlaOp x = each.constant(values);
      XlaOp twice = each.concatInDim(List.of(x.rev(0), x.rev(0)), 0);
      XlaOp padded =
          twice.sliceInDim(0, 3, 1, 0).padInDim(x.sliceInDim(0, 1, 1, 0).reshape(), 0, 1, -1);
      XlaOp updated =
          padded.dynamicUpdateSlice(x.dynamicSlice(List.of(each.constant(1)), 1), each.constant(2));
      LiteralBuilder want = new LiteralBuilder(Shape.of(type, 3));
      want.copy(0, values, 0);
      want.copy(1, values, 2);
      want.copy(2, values, 1);
      assertThat(run(updated)).isEqualTo(want.build());
    }
  }

  /** Three elements of different bits. */
  private static Literal distinct(ElementType type) {
    LiteralBuilder values = new LiteralBuilder(Shape.of(type, 3));
    int parts = type.isComplex() ? 2 : 1;
    for (int i = 0; i < 3 * parts; i++) {
      values.setBits(
          i, type.isIntegral() ? type.wrap(i) : Math.min(i, (1L << Math.min(type.bits(), 8)) - 1));
    }
    return values.build();
  }

  @Test
  void sizesOfStaticDimensionsAreKnown() {
    holds(4, threeByFour().getDimensionSize(1));
    XlaBuilder same = new XlaBuilder("same");
    XlaOp x = same.iota(ElementType.S32, 3);
    assertThat(x.setDimensionSize(same.constant(3), 0)).isSameInstanceAs(x);
    holds(new int[] {0, 1, 2}, x.removeDynamicDimension(0));
  }

  @Test
  void dynamicReshapeToStaticSizes() {
    XlaOp x = fromZeroTo(4);
    List<XlaOp> sizes = List.of(b.constant(2), b.constant(2));
    holds(new int[][] {{0, 1}, {2, 3}}, x.dynamicReshape(sizes, Shape.of(ElementType.S32, 2, 2)));
  }

  @Test
  void sizesThatAreNotThoseOfTheShapeAreRefused() {
    List<XlaOp> sizes = List.of(b.constant(4), b.constant(1));
    XlaOp reshaped = fromZeroTo(4).dynamicReshape(sizes, Shape.of(ElementType.S32, 2, 2));
    assertThat(assertThrows(HloException.class, () -> run(reshaped)).summary())
        .isEqualTo("dynamic-reshape: size of dimension 0 got 4, want 2 as in the result s32[2,2]");
  }

  @Test
  void hugePaddingIsRefusedBeforeItIsMade() {
    XlaOp huge = fromZeroTo(4).padInDim(b.constant(0), 0, 1L << 60, 0);
    assertThat(assertThrows(HloException.class, () -> run(huge)))
        .hasMessageThat()
        .contains("s32[1152921504606846980]");
  }
}
