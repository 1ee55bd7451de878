package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import org.hlo4j.builder.ComputationBody;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Test;

/** Ops of the builder that slice, update, pad, gather, scatter and resize arrays. */
class IndexingTest {
  private final XlaBuilder b = new XlaBuilder("m");
  private final XlaOp x = b.parameter(0, Shape.of(F32, 5, 3), "x");
  private final XlaOp i = b.parameter(1, Shape.of(S32, 4), "i");
  private final XlaOp u = b.parameter(2, Shape.of(F32, 4, 3), "u");
  private final XlaOp k = b.parameter(3, Shape.of(S32), "k");
  private final XlaOp z = b.parameter(4, Shape.of(F32), "z");

  /** Verifies the module and returns the printed line of an op. */
  private static String line(XlaOp op) {
    HloModule module = op.builder().build(op);
    Verifier.strict().verify(module);
    return Printer.print(module, PrintOptions.SHORT)
        .lines()
        .filter(line -> line.startsWith("  ROOT"))
        .reduce((first, last) -> last)
        .orElseThrow()
        .strip();
  }

  private static HloException refused(Runnable call) {
    return assertThrows(HloException.class, call::run);
  }

  @Test
  void sliceWithAndWithoutStrides() {
    x.slice(Dims.of(0, 1), Dims.of(2, 3));
    assertThat(line(x.slice(Dims.of(0, 1), Dims.of(5, 3), Dims.of(2, 1))))
        .isEqualTo("ROOT slice.1 = f32[3,2] slice(x), slice={[0:5:2], [1:3:1]}");
  }

  @Test
  void plainSlicePrintsNoStrides() {
    assertThat(line(x.slice(Dims.of(0, 1), Dims.of(2, 3))))
        .isEqualTo("ROOT slice = f32[2,2] slice(x), slice={[0:2], [1:3]}");
  }

  @Test
  void sliceInDim() {
    assertThat(line(x.sliceInDim(1, 3, 2, 1)))
        .isEqualTo("ROOT slice = f32[5,1] slice(x), slice={[0:5:1], [1:3:2]}");
  }

  @Test
  void inDimFormsCheckTheirDimension() {
    assertThat(refused(() -> x.sliceInDim(0, 1, 1, 2)).summary())
        .isEqualTo("slice: dimension got 2, want one of f32[5,3]");
    assertThat(refused(() -> x.padInDim(z, -1, 0, 0)).summary())
        .isEqualTo("pad: dimension got -1, want one of f32[5,3]");
    assertThat(refused(() -> b.concatInDim(List.of(x), 2)).summary())
        .isEqualTo("concatenate: dimensions got (2), want one dimension of f32[5,3]");
    assertThat(refused(() -> x.getDimensionSize(2)).summary())
        .isEqualTo("get-dimension-size: dimension got 2, want one of f32[5,3]");
    assertThat(refused(() -> x.setDimensionSize(k, 2)).summary())
        .isEqualTo("set-dimension-size: dimension got 2, want one of f32[5,3]");
  }

  @Test
  void errorNamesOperandsAndLine() {
    String message = refused(() -> x.slice(Dims.of(0), Dims.of(2))).getMessage();
    assertThat(message)
        .startsWith(
            "slice: start_indices got (0), want one for each of the 2 dimensions of f32[5,3]"
                + " [slice C2]\n  x   f32[5,3]   parameter 0   IndexingTest.java:");
    assertThat(message).containsMatch("\n  at IndexingTest.java:\\d+$");
  }

  @Test
  void dynamicSlice() {
    assertThat(line(x.dynamicSlice(List.of(k, k), 2, 3)))
        .isEqualTo(
            "ROOT dynamic-slice = f32[2,3] dynamic-slice(x, k, k), dynamic_slice_sizes={2,3}");
  }

  @Test
  void dynamicUpdateSlice() {
    assertThat(line(x.dynamicUpdateSlice(u, k, k)))
        .isEqualTo("ROOT dynamic-update-slice = f32[5,3] dynamic-update-slice(x, u, k, k)");
  }

  @Test
  void pad() {
    assertThat(line(x.pad(z, PadConfig.none(2).withDimension(0, 1, -1, 2))))
        .isEqualTo("ROOT pad = f32[13,3] pad(x, z), padding=1_-1_2x0_0_0");
  }

  @Test
  void padInDim() {
    assertThat(line(x.padInDim(z, 1, 2, -1)))
        .isEqualTo("ROOT pad = f32[5,4] pad(x, z), padding=0_0x2_-1");
  }

  @Test
  void padConfigsPrintAndExplain() {
    assertThat(PadConfig.interior(1, 0).toString()).isEqualTo("0_0_1x0_0_0");
    assertThat(PadConfig.edges(Dims.of(1), Dims.of(2)).toString()).isEqualTo("1_2");
    assertThat(PadConfig.none(2).withDimension(0, 1, -2, 3).explain())
        .isEqualTo(
            "dim 0: 1 before, 2 cut off behind, 3 between\n"
                + "dim 1: 0 before, 0 behind, 0 between");
  }

  @Test
  void concatInDim() {
    assertThat(line(b.concatInDim(List.of(x, u), 0)))
        .isEqualTo("ROOT concatenate = f32[9,3] concatenate(x, u), dimensions={0}");
  }

  @Test
  void rev() {
    assertThat(line(x.rev(1, 0))).isEqualTo("ROOT reverse = f32[5,3] reverse(x), dimensions={1,0}");
  }

  @Test
  void gather() {
    Gather rows = Gather.takeRows(x.arrayShape(), i.arrayShape()).withIndicesAreSorted(true);
    assertThat(line(x.gather(i, rows)))
        .isEqualTo(
            "ROOT gather = f32[4,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={0},"
                + " start_index_map={0}, index_vector_dim=1, slice_sizes={1,3},"
                + " indices_are_sorted=true");
  }

  @Test
  void gatherWithBatchingDims() {
    XlaOp indices = b.parameter(5, Shape.of(S32, 5), "j");
    Gather each =
        new Gather(Dims.of(), Dims.of(1), Dims.of(1), Dims.of(), Dims.of(), 1, Dims.of(1, 1), false)
            .withBatching(Dims.of(0), Dims.of(0));
    assertThat(line(x.gather(indices, each)))
        .isEqualTo(
            "ROOT gather = f32[5] gather(x, j), offset_dims={}, collapsed_slice_dims={1},"
                + " start_index_map={1}, operand_batching_dims={0},"
                + " start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}");
  }

  @Test
  void scatter() {
    Scatter rows = Scatter.rows(x.arrayShape(), i.arrayShape()).withPromises(true, true);
    assertThat(line(x.scatter(i, u, (p, q) -> p.add(q), rows)))
        .isEqualTo(
            "ROOT scatter = f32[5,3] scatter(x, i, u), update_window_dims={1},"
                + " inserted_window_dims={0}, scatter_dims_to_operand_dims={0},"
                + " index_vector_dim=1, indices_are_sorted=true, unique_indices=true,"
                + " to_apply=region");
  }

  @Test
  void scatterWithPrebuiltComputation() {
    XlaBuilder inner = new XlaBuilder("sum");
    XlaOp p = inner.parameter(0, Shape.of(F32), "p");
    HloComputation sum = inner.buildComputation(p.add(inner.parameter(1, Shape.of(F32), "q")));
    Scatter rows = Scatter.rows(x.arrayShape(), i.arrayShape());
    assertThat(line(x.scatter(i, u, sum, rows))).endsWith("to_apply=sum");
  }

  @Test
  void variadicScatter() {
    ComputationBody both = (inner, p) -> inner.tuple(p.get(2), p.get(3));
    Scatter rows = Scatter.rows(x.arrayShape(), i.arrayShape()).withBatching(Dims.of(), Dims.of());
    assertThat(line(b.scatter(List.of(x, x), i, List.of(u, u), both, rows)))
        .startsWith("ROOT scatter = (f32[5,3], f32[5,3]) scatter(x, x, i, u, u)");
  }

  @Test
  void scatterRejectsBodyOfWrongType() {
    Scatter rows = Scatter.rows(x.arrayShape(), i.arrayShape());
    HloException refusal = refused(() -> x.scatter(i, u, (p, q) -> p.eq(q), rows));
    assertThat(refusal.label()).isEqualTo("scatter C23");
    assertThat(refusal.summary()).isEqualTo("scatter: result of to_apply got pred[], want f32[]");
  }

  @Test
  void scatterRejectsBodyOfWrongArity() {
    XlaBuilder inner = new XlaBuilder("one");
    HloComputation one = inner.buildComputation(inner.parameter(0, Shape.of(F32), "p"));
    Scatter rows = Scatter.rows(x.arrayShape(), i.arrayShape());
    HloException refusal = refused(() -> x.scatter(i, u, one, rows));
    assertThat(refusal.label()).isEqualTo("scatter C23");
    assertThat(refusal.summary())
        .isEqualTo("scatter: parameter count of to_apply got 1, want 2: (f32[]) -> f32[]");
  }

  @Test
  void gatherAndScatterPresetsCheckDimension() {
    assertThat(refused(() -> Gather.alongDimension(x.arrayShape(), i.arrayShape(), 2)).summary())
        .isEqualTo("dimensions got (2), want one dimension of f32[5,3]");
    assertThat(refused(() -> Scatter.rows(z.arrayShape(), i.arrayShape())).summary())
        .isEqualTo("dimensions got (0), want one dimension of f32[]");
  }

  @Test
  void getAndSetDimensionSize() {
    assertThat(x.getDimensionSize(1).instruction().op().opcode()).isEqualTo("constant");
    XlaOp dynamic = x.setDimensionSize(k, 0);
    assertThat(dynamic.instruction().toString())
        .isEqualTo("%set-dimension-size = f32[<=5,3] set-dimension-size(%x, %k)");
    assertThat(dynamic.getDimensionSize(0).instruction().toString())
        .isEqualTo("%get-dimension-size = s32[] get-dimension-size(%set-dimension-size)");
    assertThat(dynamic.removeDynamicDimension(0).shape()).isEqualTo(Shape.of(F32, 5, 3));
    assertThat(line(dynamic.rev(0)))
        .isEqualTo("ROOT reverse = f32[<=5,3] reverse(set-dimension-size), dimensions={0}");
  }

  @Test
  void setDimensionSizePrintsItsDimension() {
    assertThat(line(x.setDimensionSize(k, 1)))
        .isEqualTo("ROOT set-dimension-size = f32[5,<=3] set-dimension-size(x, k), dimensions={1}");
  }

  @Test
  void dynamicReshape() {
    Shape.Array shape = Shape.of(F32, 3, 5).withDynamic(List.of(1));
    assertThat(line(x.dynamicReshape(List.of(k, k), shape)))
        .isEqualTo("ROOT dynamic-reshape = f32[3,<=5] dynamic-reshape(x, k, k)");
  }

  @Test
  void nullOperandsAreRejected() {
    assertThat(refused(() -> x.pad(null, PadConfig.none(2))).summary())
        .isEqualTo("padding_value is null, want an op of builder m");
    assertThat(refused(() -> b.concatInDim(Arrays.asList(x, null), 0)).summary())
        .isEqualTo("operand is null, want an op of builder m");
  }

  @Test
  void explainGather() {
    Gather rows = Gather.takeRows(x.arrayShape(), i.arrayShape());
    assertThat(rows.explain(x.arrayShape(), i.arrayShape()))
        .isEqualTo(
            """
            gather of windows of f32[5,3] at the vectors v of s32[4]
              operand         dim 0   dim 1
              size                5       3
              window              1       3
              starts at        v[0]       0
              result dim          -       1
              start_indices   dim 0
              size                4
              result dim          0
            result[b0, w1] = operand[v[0], w1] with v = start_indices[b0]\
            """);
  }

  @Test
  void explainScatter() {
    Scatter each =
        new Scatter(Dims.of(1), Dims.of(), Dims.of(1), Dims.of(0), Dims.of(1), 0, false, false);
    assertThat(each.explain(x.arrayShape(), Shape.of(S32, 1, 5), Shape.of(F32, 5, 2)))
        .isEqualTo(
            """
            scatter of windows into f32[5,3] at the vectors v of s32[1,5]
              input             dim 0   dim 1
              size                  5       3
              window                1       2
              starts at            b0    v[0]
              updates dim           -       1
              scatter_indices   dim 0   dim 1
              size                  1       5
              updates dim           v       0
            result[i] = to_apply(input[i], updates[b0, w1])\
             for i = [b0, v[0] + w1] with v = scatter_indices[:, b0]\
            """);
  }
}
