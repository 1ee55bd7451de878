package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

final class CallTest {
  private static final ProgramShape CALLEE =
      new ProgramShape(ImmutableList.of(shape("f32[2]"), shape("s32[]")), shape("f32[3]"));

  private static Shape call(Shape... operands) {
    return new Call().infer(new Operands(ImmutableList.copyOf(operands), ImmutableList.of(CALLEE)));
  }

  @Test
  void hasTheResultShapeOfTheComputation() {
    assertThat(call(shape("f32[2]"), shape("s32[]"))).isEqualTo(shape("f32[3]"));
    assertThat(call(shape("f32[2]").withLayout(Layout.rowMajor(1)), shape("s32[]")))
        .isEqualTo(shape("f32[3]"));
  }

  @Test
  void operandsMatchTheParameters() {
    assertRefused(
        "call: parameter count of to_apply got 2, want 1: (f32[2], s32[]) -> f32[3]",
        () -> call(shape("f32[2]")));
    assertRefused(
        "call: parameter 1 of to_apply got s32[], want f32[]",
        () -> call(shape("f32[2]"), shape("f32[]")));
  }

  @Test
  void callsOneComputation() {
    assertRefused("call: called computations got 0, want 1", () -> new Call().infer());
  }
}
