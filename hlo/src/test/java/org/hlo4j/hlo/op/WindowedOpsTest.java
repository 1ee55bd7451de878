package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

/** Shape rules of reduce-window, select-and-scatter and map. */
class WindowedOpsTest {
  private static final Shape.Array SCALAR = Shape.of(F32);
  private static final Shape.Array COUNT = Shape.of(S32);
  private static final ProgramShape ADD = signature(SCALAR, SCALAR, SCALAR);
  private static final ProgramShape GE = signature(Shape.of(PRED), SCALAR, SCALAR);
  private static final ReduceWindow PAIRS = new ReduceWindow(Window.of(2).withStrides(2));
  private static final SelectAndScatter SCATTER = new SelectAndScatter(Window.of(2).withStrides(2));

  private static ProgramShape signature(Shape result, Shape... parameters) {
    return new ProgramShape(ImmutableList.copyOf(parameters), result);
  }

  private static Operands in(List<ProgramShape> called, Shape... operands) {
    return new Operands(ImmutableList.copyOf(operands), ImmutableList.copyOf(called));
  }

  private static void refused(String label, String message, Op op, Operands in) {
    HloException refusal = assertThrows(HloException.class, () -> op.infer(in));
    assertThat(refusal.label()).isEqualTo(label);
    assertThat(refusal.summary()).isEqualTo(op.opcode() + ": " + message);
  }

  private static Operands reduced(Shape... operands) {
    return in(List.of(ADD), operands);
  }

  @Test
  void reduceWindowShapes() {
    assertThat(PAIRS.infer(reduced(Shape.of(F32, 5), SCALAR))).isEqualTo(Shape.of(F32, 2));
    assertThat(PAIRS.infer(reduced(Shape.of(F32, 0), SCALAR))).isEqualTo(Shape.of(F32, 0));
    assertThat(new ReduceWindow(Window.of()).infer(reduced(SCALAR, SCALAR))).isEqualTo(SCALAR);
    assertThat(PAIRS.infer(reduced(Shape.of(F32, 5).withDynamic(List.of(0)), SCALAR)))
        .isEqualTo(Shape.of(F32, 2).withDynamic(List.of(0)));
    ProgramShape both = signature(Shape.tuple(SCALAR, COUNT), SCALAR, COUNT, SCALAR, COUNT);
    assertThat(PAIRS.infer(in(List.of(both), Shape.of(F32, 6), Shape.of(S32, 6), SCALAR, COUNT)))
        .isEqualTo(Shape.tuple(Shape.of(F32, 3), Shape.of(S32, 3)));
  }

  @Test
  void reduceWindowRefusals() {
    Shape.Array five = Shape.of(F32, 5);
    refused(
        "reduce_window C1",
        "operand count got 3, want as many initial values as inputs",
        PAIRS,
        reduced(five, SCALAR, SCALAR));
    refused(
        "reduce_window C2",
        "sizes of input 1 got f32[4], want those of input 0, f32[5]",
        PAIRS,
        reduced(five, Shape.of(F32, 4), SCALAR, SCALAR));
    refused(
        "reduce_window C3",
        "init_value 0 got s32[], want f32[] as the elements of input 0",
        PAIRS,
        reduced(five, COUNT));
    refused(
        "reduce_window C4",
        "window got 1 dimensions, want 2, as many as f32[5,5]: {size=2 stride=2}",
        PAIRS,
        reduced(Shape.of(F32, 5, 5), SCALAR));
    refused(
        "reduce_window C5",
        "window size of dimension 0 got 0, want at least 1",
        new ReduceWindow(Window.of(0)),
        reduced(five, SCALAR));
    refused(
        "reduce_window C7",
        "window stride of dimension 0 got -1, want at least 1",
        new ReduceWindow(Window.of(1).withStrides(-1)),
        reduced(five, SCALAR));
    refused(
        "reduce_window C9",
        "window base dilation of dimension 0 got 0, want at least 1",
        new ReduceWindow(Window.of(1).withBaseDilation(0)),
        reduced(five, SCALAR));
    refused(
        "reduce_window C11",
        "window dilation of dimension 0 got 0, want at least 1",
        new ReduceWindow(Window.of(1).withWindowDilation(0)),
        reduced(five, SCALAR));
    refused(
        "reduce_window C13",
        "result of to_apply got pred[], want f32[]",
        PAIRS,
        in(List.of(GE), five, SCALAR));
    refused(
        "reduce_window C13",
        "parameter count of to_apply got 1, want 2: (f32[]) -> f32[]",
        PAIRS,
        in(List.of(signature(SCALAR, SCALAR)), five, SCALAR));
    refused(
        "",
        "window of dimension 0 on a base of 5 got beyond 2^63 - 1, want less: {size=1"
            + " pad=9223372036854775807_0}",
        new ReduceWindow(Window.of(1).withPadding(Dims.of(Long.MAX_VALUE), Dims.of(0))),
        reduced(five, SCALAR));
    refused(
        "",
        "shape: the element count of f32(4611686018427387904, 4611686018427387904) got above 2^63"
            + " - 1, want at most that",
        new ReduceWindow(
            Window.of(1, 1)
                .withPadding(Dims.of(1L << 62, 1L << 62), Dims.of(-5, -5))
                .withStrides(1, 1)),
        reduced(Shape.of(F32, 5, 5), SCALAR));
  }

  private static Operands scattered(Shape operand, Shape source, Shape init) {
    return in(List.of(GE, ADD), operand, source, init);
  }

  @Test
  void selectAndScatterShapes() {
    assertThat(SCATTER.infer(scattered(Shape.of(F32, 5), Shape.of(F32, 2), SCALAR)))
        .isEqualTo(Shape.of(F32, 5));
    assertThat(SCATTER.infer(scattered(Shape.of(F32, 0), Shape.of(F32, 0), SCALAR)))
        .isEqualTo(Shape.of(F32, 0));
    assertThat(new SelectAndScatter(Window.of()).infer(scattered(SCALAR, SCALAR, SCALAR)))
        .isEqualTo(SCALAR);
  }

  @Test
  void selectAndScatterRefusals() {
    Shape.Array five = Shape.of(F32, 5);
    Shape.Array two = Shape.of(F32, 2);
    refused(
        "select_and_scatter C1",
        "element type of source got s32[2], want that of operand, f32[5]",
        SCATTER,
        scattered(five, Shape.of(S32, 2), SCALAR));
    refused(
        "select_and_scatter C2",
        "source got f32[3], want f32[2], the places of window {size=2 stride=2} on f32[5]",
        SCATTER,
        scattered(five, Shape.of(F32, 3), SCALAR));
    refused(
        "select_and_scatter C3",
        "init_value got f32[1], want f32[] as the elements of operand",
        SCATTER,
        scattered(five, two, Shape.of(F32, 1)));
    refused(
        "select_and_scatter C4",
        "window got 1 dimensions, want 2, as many as f32[5,5]: {size=2 stride=2}",
        SCATTER,
        scattered(Shape.of(F32, 5, 5), two, SCALAR));
    refused(
        "select_and_scatter C5",
        "window size of dimension 0 got -2, want at least 1",
        new SelectAndScatter(Window.of(-2)),
        scattered(five, two, SCALAR));
    refused(
        "select_and_scatter C7",
        "window stride of dimension 0 got 0, want at least 1",
        new SelectAndScatter(Window.of(2).withStrides(0)),
        scattered(five, two, SCALAR));
    refused(
        "select_and_scatter C9",
        "result of select got f32[], want pred[]",
        SCATTER,
        in(List.of(ADD, ADD), five, two, SCALAR));
    refused(
        "select_and_scatter C10",
        "result of scatter got pred[], want f32[]",
        SCATTER,
        in(List.of(GE, GE), five, two, SCALAR));
    refused("", "operand count got 2, want 3", SCATTER, in(List.of(GE, ADD), five, two));
  }

  @Test
  void mapShapes() {
    ProgramShape pick = signature(COUNT, SCALAR, COUNT);
    assertThat(
            new Map(Dims.of(0, 1))
                .infer(in(List.of(pick), Shape.of(F32, 2, 3), Shape.of(S32, 2, 3))))
        .isEqualTo(Shape.of(S32, 2, 3));
    assertThat(new Map(Dims.of()).infer(in(List.of(ADD), SCALAR, SCALAR))).isEqualTo(SCALAR);
  }

  @Test
  void mapRefusals() {
    Map map = new Map(Dims.of(0));
    Shape.Array five = Shape.of(F32, 5);
    refused("", "operand count got 0, want at least 1", map, in(List.of(ADD)));
    refused(
        "map C1",
        "sizes of operand 1 got f32[4], want those of operand 0, f32[5]",
        map,
        in(List.of(ADD), five, Shape.of(F32, 4)));
    refused(
        "map C3",
        "dimensions got (1), want all dimensions of f32[5] in order",
        new Map(Dims.of(1)),
        in(List.of(ADD), five, five));
    refused(
        "map C4",
        "parameter count of to_apply got 2, want 1: (f32[], f32[]) -> f32[]",
        map,
        in(List.of(ADD), five));
    refused(
        "map C4",
        "result of to_apply got f32[5], want a scalar",
        map,
        in(List.of(signature(five, SCALAR)), five));
  }
}
