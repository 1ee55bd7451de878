package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Refusals of attributes and operands, and the greatest values that are not refused. */
final class OpRefusalsTest {
  private static final Shape.Array X = Shape.of(F32, 4, 6);

  private static Operands in(ProgramShape called, Shape... operands) {
    return new Operands(ImmutableList.copyOf(operands), ImmutableList.of(called));
  }

  private static ProgramShape binary(Shape parameter, Shape result) {
    return new ProgramShape(ImmutableList.of(parameter, parameter), result);
  }

  @Test
  void dimensionSizes() {
    assertRefused(
        "dimensions got (2), want one dimension of f32[4,6]", () -> SetDimensionSize.dynamic(X, 2));
    assertRefused(
        "dimensions got (2), want one dimension of f32[4,6]", () -> SetDimensionSize.fixed(X, 2));
    assertRefused(
        "set-dimension-size: dimensions got (0, 1), want one dimension of f32[4,6]",
        () -> new SetDimensionSize(X, Dims.of(0, 1)).infer(X, shape("s32[]")));
  }

  @Test
  void strides() {
    SliceRanges ranges = new SliceRanges(Dims.of(0, 0), Dims.of(4, 6), Dims.of(1, 0));
    assertRefused("strides[1] got 0, want above 0 [slice C4]", ranges::sizes);
    assertRefused(
        "slice: strides[1] got 0, want above 0 [slice C4]", () -> new Slice(ranges).infer(X));
  }

  /** Each list of a window has one entry for each dimension. */
  @ParameterizedTest
  @CsvSource({
    "1 1 2 1 1 1 1, paddingLow",
    "1 1 1 2 1 1 1, paddingHigh",
    "1 1 1 1 2 1 1, baseDilation",
    "1 1 1 1 1 2 1, windowDilation",
    "1 1 1 1 1 1 2, reversal",
    "1 2 1 1 1 1 1, strides"
  })
  void windows(String counts, String what) {
    int[] n = Arrays.stream(counts.split(" ")).mapToInt(Integer::parseInt).toArray();
    assertRefused(
        "window: " + what + " got 2 values, want 1, one for each of the sizes (1)",
        () ->
            new Window(
                ones(n[0]),
                ones(n[1]),
                ones(n[2]),
                ones(n[3]),
                ones(n[4]),
                ones(n[5]),
                ImmutableList.copyOf(Collections.nCopies(n[6], false))));
  }

  private static Dims ones(int count) {
    return Dims.copyOf(Collections.nCopies(count, 1L));
  }

  @Test
  void samePadding() {
    assertRefused(
        "window: stride got 0, want at least 1",
        () -> Window.of(2).withStrides(0).withSamePadding(Dims.of(5)));
  }

  @Test
  void randomNumbers() {
    Rng normal = new Rng(X, Rng.Distribution.RNG_NORMAL);
    assertRefused("rng: mu got f32[4,6], want a scalar", () -> normal.infer(X, shape("f32[]")));
    assertRefused("rng: sigma got f32[4,6], want a scalar", () -> normal.infer(shape("f32[]"), X));
    Rng uniform = new Rng(X, Rng.Distribution.RNG_UNIFORM);
    assertRefused("rng: a got f32[4,6], want a scalar", () -> uniform.infer(X, shape("f32[]")));
    assertRefused("rng: b got f32[4,6], want a scalar", () -> uniform.infer(shape("f32[]"), X));
  }

  @Test
  void reduceScatters() {
    ProgramShape sum = binary(shape("f32[]"), shape("f32[]"));
    ReplicaGroups uneven = ReplicaGroups.of(new long[] {0, 1}, new long[] {2});
    assertRefused(
        "reduce-scatter: replica_groups got {{0,1},{2}}, want groups of the same size",
        () -> scatter(uneven, Shape.of(F32, 2, 6)).infer(in(sum, X)));
    assertRefused(
        "reduce-scatter: parameter 0 of to_apply got s32[], want f32[] [reduce_scatter C7]",
        () ->
            scatter(ReplicaGroups.all(), Shape.of(F32, 2, 6))
                .infer(in(binary(shape("s32[]"), shape("s32[]")), X)));
    assertRefused(
        "reduce-scatter: result got (f32[4,6]), want an array",
        () -> scatter(ReplicaGroups.all(), Shape.tuple(X)).infer(in(sum, X)));
    assertRefused(
        "reduce-scatter: result got (f32[4,6]), want one for each of 2 operands",
        () -> scatter(ReplicaGroups.all(), Shape.tuple(X)).infer(in(sum, X, X)));
  }

  private static ReduceScatter scatter(ReplicaGroups groups, Shape shape) {
    return new ReduceScatter(Optional.empty(), groups, false, false, Dims.of(0), shape);
  }

  @Test
  void raggedExchanges() {
    Shape offsets = shape("s32[4]");
    ReplicaGroups uneven = ReplicaGroups.of(new long[] {0, 1}, new long[] {2});
    assertRefused(
        "ragged-all-to-all: replica_groups got {{0,1},{2}}, want groups of the same size",
        () ->
            new RaggedAllToAll(Optional.empty(), uneven)
                .infer(X, X, offsets, offsets, offsets, offsets));
    assertRefused(
        "ragged-all-to-all: input got f32[] and output f32[], want shapes that differ in dimension"
            + " 0 only",
        () ->
            new RaggedAllToAll(Optional.empty(), ReplicaGroups.all())
                .infer(shape("f32[]"), shape("f32[]"), offsets, offsets, offsets, offsets));
    assertRefused(
        "peers got 0, want at least 1", () -> RaggedAllToAll.requireUpdates(shape("s32[4]"), 0));
  }

  @Test
  void permutedSlices() {
    CollectivePermute whole =
        new CollectivePermute(
            Optional.empty(), ImmutableList.of(Dims.of(0, 1)), ImmutableList.of(Dims.of(4, 0)));
    Shape start = Shape.tuple(Shape.tuple(shape("s32[]"), shape("s32[]")));
    ShapeRules.shape("f32[4,6]", whole.infer(X, X, start, start));
  }

  @Test
  void topk() {
    ShapeRules.shape("(f32[4,6], s32[4,6])", new Topk(6, true).infer(X));
    ShapeRules.shape("(f32[4,0], s32[4,0])", new Topk(0, true).infer(X));
    assertRefused(
        "topk: element type got c64, want one in an order",
        () -> new Topk(1, true).infer(Shape.of(C64, 3)));
  }

  @Test
  void convolutions() {
    Convolution plain = Convolution.of(Window.of(2));
    assertRefused(
        "convolution: output features of kernel f32[<=8,6,2] got <=8, want a static size",
        () -> plain.infer(shape("f32[4,6,5]"), shape("f32[<=8,6,2]")));
    assertRefused(
        "convolution: window got 2 dimensions, want 1, as many as f32[5]: {size=2x2} [convolution"
            + " C2]",
        () ->
            Convolution.of(Window.of(2, 2))
                .withDimensionNumbers(ConvolutionDimensionNumbers.defaults(1))
                .infer(shape("f32[4,6,5]"), shape("f32[8,6,2]")));
  }

  @Test
  void dimensionLabels() {
    assertRefused(
        "dim_labels: got b0f->0io_b0f, want lhs_rhs->result, such as b01f_01io->b01f\n"
            + "  fits: \"b0f_0io->b0f\"",
        () -> ConvolutionDimensionNumbers.parse("b0f->0io_b0f"));
    String ten = "0123456789";
    assertRefused(
        "dim_labels: bf0123456789a_oi0123456789a->bf0123456789a got bf0123456789a, want 11 spatial"
            + " dimensions as in lhs, 10 at most",
        () -> ConvolutionDimensionNumbers.parse("bf" + ten + "a_oi" + ten + "a->bf" + ten + "a"));
    String all = "bf" + ten + "_oi" + ten + "->bf" + ten;
    assertThat(ConvolutionDimensionNumbers.parse(all).toString()).isEqualTo(all);
  }

  @Test
  void groupsOfAnotherForm() {
    ReplicaGroups.Form rows = ReplicaGroups.iota(2, 2).form();
    assertRefused(
        "replica_groups: [2,2]<=[4] got 2 groups, want 2 of 2 ids",
        () -> new ReplicaGroups(ImmutableList.of(Dims.of(0, 1), Dims.of(2)), rows));
  }
}
