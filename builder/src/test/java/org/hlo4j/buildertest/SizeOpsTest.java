package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableSortedSet;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Test;

/** Reshapes and broadcasts of the builder with static, bounded and unbounded sizes. */
final class SizeOpsTest {
  private final XlaBuilder b = new XlaBuilder("m");

  private static Shape.Array bounded(Dims sizes, int... dynamic) {
    Shape.Array shape = Shape.of(F32, sizes);
    return shape.withDynamic(Arrays.stream(dynamic).boxed().toList());
  }

  private XlaOp six() {
    return b.parameter(0, bounded(Dims.of(6), 0), "x");
  }

  /** Verifies the module, checks that its text round-trips, and returns the root's line. */
  private static String line(XlaOp op) {
    HloModule module = op.builder().build(op);
    Verifier.strict().verify(module);
    String text = Printer.print(module);
    assertThat(Printer.print(Parser.parse(text))).isEqualTo(text);
    return Printer.print(module, PrintOptions.SHORT)
        .lines()
        .filter(line -> line.startsWith("  ROOT"))
        .reduce((first, last) -> last)
        .orElseThrow()
        .strip();
  }

  private static String refusal(Runnable call) {
    return assertThrows(HloException.class, call::run).summary();
  }

  // The dynamic dimension of the result, as in XLA's InferReshapeShape.

  @Test
  void addedOnesKeepDimensionDynamic() {
    assertThat(line(six().reshape(1, 6, 1))).isEqualTo("ROOT reshape = f32[1,<=6,1] reshape(x)");
  }

  @Test
  void mergingStaticAndDynamicDimensions() {
    XlaOp x = b.parameter(0, bounded(Dims.of(2, 3, 5), 1), "x");
    assertThat(line(x.reshape(6, 5))).isEqualTo("ROOT reshape = f32[<=6,5] reshape(x)");
  }

  @Test
  void mergingTwoDynamicDimensions() {
    XlaOp x = b.parameter(0, bounded(Dims.of(2, 3, 5), 0, 1), "x");
    assertThat(line(x.collapse(0, 1))).isEqualTo("ROOT reshape = f32[<=6,5] reshape(x)");
  }

  @Test
  void untouchedDimensionStaysDynamic() {
    XlaOp x = b.parameter(0, bounded(Dims.of(4, 7, 6), 1), "x");
    assertThat(line(x.reshape(2, 2, 7, 6))).isEqualTo("ROOT reshape = f32[2,2,<=7,6] reshape(x)");
  }

  @Test
  void reshapeToScalarIsStatic() {
    XlaOp x = b.parameter(0, bounded(Dims.of(1), 0), "x");
    assertThat(line(x.reshape())).isEqualTo("ROOT reshape = f32[] reshape(x)");
  }

  @Test
  void dynamicTrailingOneMergesWithNeighbour() {
    XlaOp x = b.parameter(0, bounded(Dims.of(5, 1), 1), "x");
    assertThat(line(x.reshape(5))).isEqualTo("ROOT reshape = f32[<=5] reshape(x)");
  }

  @Test
  void splittingDynamicDimensionIsAmbiguous() {
    XlaOp x = six();
    assertThat(refusal(() -> x.reshape(2, 3)))
        .isEqualTo(
            "reshape: dimensions (0) of f32[<=6] become (0, 1) of (2, 3), want to know which of"
                + " them is dynamic: by reshapeWithInferredDimension, or with the shape of the"
                + " result");
  }

  @Test
  void inferredDimension() {
    assertThat(line(six().reshapeWithInferredDimension(Dims.of(2, 3), 1)))
        .isEqualTo("ROOT reshape = f32[2,<=3] reshape(x), inferred_dimension=1");
  }

  @Test
  void invalidInferredDimension() {
    XlaOp x = six();
    assertThat(refusal(() -> x.reshapeWithInferredDimension(Dims.of(2, 3), 2)))
        .isEqualTo("reshape: inferred_dimension got 2, want a dimension of (2, 3)");
    assertThat(refusal(() -> x.reshapeWithInferredDimension(Dims.of(2, 4), 0)))
        .isEqualTo("reshape: element count got 8 for f32[2,4], want 6 as in f32[<=6]");
  }

  @Test
  void explicitResultShape() {
    assertThat(line(six().reshape(bounded(Dims.of(2, 3), 0))))
        .isEqualTo("ROOT reshape = f32[<=2,3] reshape(x)");
  }

  @Test
  void dynamicReshape() {
    XlaOp x = six();
    XlaOp n = b.parameter(1, Shape.of(S32), "n");
    assertThat(line(x.dynamicReshape(List.of(n, n), bounded(Dims.of(2, 3), 0, 1))))
        .isEqualTo("ROOT dynamic-reshape = f32[<=2,<=3] dynamic-reshape(x, n, n)");
  }

  // Dynamic ops for export.

  private static Shape.Array unbounded(int rank) {
    return new Shape.Array(
        F32,
        Dims.filled(rank, Shape.UNBOUNDED),
        ImmutableSortedSet.copyOf(IntStream.range(0, rank).boxed().toList()),
        Optional.empty());
  }

  @Test
  void mhloDynamicReshape() {
    XlaOp sizes = b.parameter(1, Shape.of(S32, 2), "sizes");
    XlaOp op = six().mhloDynamicReshape(sizes, unbounded(2));
    assertThat(op.instruction().toString())
        .isEqualTo("%custom-call = f32[?,?] custom-call(%x, %sizes)");
    assertThat(refusal(() -> six2().mhloDynamicReshape(sizes2(), Shape.of(F32, 7))))
        .isEqualTo(
            "mhlo.dynamic_reshape: sizes got s32[2], want a vector of 1 integers for f32[7]");
    assertThat(refusal(() -> six2().mhloDynamicReshape(sizes2(), Shape.of(F32, 7, 1))))
        .isEqualTo(
            "mhlo.dynamic_reshape: result got f32[7,1], want as many elements as operand f32[6]");
    assertThat(refusal(() -> six2().mhloDynamicReshape(sizes2(), Shape.of(S32, 6, 1))))
        .isEqualTo(
            "mhlo.dynamic_reshape: element type of the result got s32, want f32 as the operand");
  }

  private final XlaBuilder second = new XlaBuilder("second");
  private final XlaOp six2 = second.parameter(0, Shape.of(F32, 6), "x");
  private final XlaOp sizes2 = second.parameter(1, Shape.of(S32, 2), "sizes");

  private XlaOp six2() {
    return six2;
  }

  private XlaOp sizes2() {
    return sizes2;
  }

  @Test
  void mhloDynamicBroadcastInDim() {
    XlaOp op = six2.mhloDynamicBroadcastInDim(sizes2, Dims.of(1), unbounded(2));
    assertThat(op.instruction().attributes())
        .containsExactly("backend_config", "\"{broadcast_dimensions=[1]}\"");
    assertThat(refusal(() -> six2.mhloDynamicBroadcastInDim(sizes2, Dims.of(2), unbounded(2))))
        .isEqualTo(
            "mhlo.dynamic_broadcast_in_dim: broadcast_dimensions got (2), want a dimension of"
                + " f32[?,?] for each of f32[6], of its size unless that is 1");
    assertThat(
            refusal(() -> six2.mhloDynamicBroadcastInDim(sizes2, Dims.of(0), Shape.of(F32, 2, 6))))
        .isEqualTo(
            "mhlo.dynamic_broadcast_in_dim: broadcast_dimensions got (0), want a dimension of"
                + " f32[2,6] for each of f32[6], of its size unless that is 1");
  }
}
