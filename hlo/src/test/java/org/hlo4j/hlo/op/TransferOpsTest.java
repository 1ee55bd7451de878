package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.U32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

/** The shape rules of asynchronous copies and ops, bitcast and custom-call. */
final class TransferOpsTest {
  private static final Shape.Array F = Shape.of(F32);
  private static final Shape.Array V = Shape.of(F32, 3);

  private static void refused(String message, Op op, Shape... operands) {
    assertThat(assertThrows(HloException.class, () -> op.infer(operands)))
        .hasMessageThat()
        .isEqualTo(message);
  }

  private static void refused(String message, Op op, ProgramShape called, Shape... operands) {
    Operands in = new Operands(ImmutableList.copyOf(operands), ImmutableList.of(called));
    assertThat(assertThrows(HloException.class, () -> op.infer(in)))
        .hasMessageThat()
        .isEqualTo(message);
  }

  private static ProgramShape from(Shape parameter, Shape result) {
    return new ProgramShape(ImmutableList.of(parameter), result);
  }

  @Test
  void asyncCopies() {
    Shape started = Shape.tuple(V, V, Shape.of(U32));
    assertThat(new CopyStart(Optional.empty()).infer(V)).isEqualTo(started);
    assertThat(new CopyDone().infer(started)).isEqualTo(V);
    refused(
        "copy-done: operand got (f32[3], f32[], u32[]), want (destination, source, u32[]) of a"
            + " copy-start",
        new CopyDone(),
        Shape.tuple(V, F, Shape.of(U32)));
  }

  @Test
  void asyncOps() {
    Shape pending = Shape.tuple(Shape.tuple(V), F, Shape.of(U32));
    ProgramShape sum = from(V, F);
    Operands in = new Operands(ImmutableList.of(V), ImmutableList.of(sum));
    assertThat(new AsyncStart(pending, "").infer(in)).isEqualTo(pending);
    assertThat(new AsyncUpdate().infer(pending)).isEqualTo(pending);
    assertThat(new AsyncDone().infer(pending)).isEqualTo(F);
    refused(
        "async-start: element 0 of the result got (f32[3]), want (f32[]) as the operands",
        new AsyncStart(pending, ""),
        from(F, F),
        F);
    refused(
        "async-start: result of calls got f32[3], want f32[]",
        new AsyncStart(pending, ""),
        from(V, V),
        V);
    refused(
        "async-start: parameter 0 of calls got f32[], want f32[3]",
        new AsyncStart(pending, ""),
        from(F, F),
        V);
    refused(
        "async-done: operand got f32[], want ((operands), result, contexts) of an async-start",
        new AsyncDone(),
        F);
  }

  @Test
  void asyncUpdates() {
    Shape bound = Shape.tuple(Shape.tuple(V), F, Shape.of(U32));
    refused(
        "async-update: element 0 of the result got (f32[3]), want (f32[3], f32[]): the operands of"
            + " the step before and those added",
        new AsyncUpdate(Optional.of(bound)),
        bound,
        F);
    refused(
        "async-update: element 1 of the result got f32[3], want f32[] as the step before",
        new AsyncUpdate(Optional.of(Shape.tuple(Shape.tuple(V, F), V, Shape.of(U32)))),
        bound,
        F);
    refused(
        "async-update: result got ((f32[3]), f32[], u32[]), want the shape of the step before: no"
            + " operand is added, no result bound",
        new AsyncUpdate(Optional.of(bound)),
        bound);
  }

  @Test
  void bitcast() {
    assertThat(new Bitcast(Shape.of(S32, 3)).infer(V)).isEqualTo(Shape.of(S32, 3));
    assertThat(new Bitcast(Shape.of(F64, 1)).infer(Shape.of(F32, 2))).isEqualTo(Shape.of(F64, 1));
    refused(
        "bitcast: size got 64 bits for f64[], want 96 bits as f32[3]",
        new Bitcast(Shape.of(F64)),
        V);
    refused(
        "bitcast: got f32[2] to c64[1], want both complex or neither",
        new Bitcast(Shape.of(C64, 1)),
        Shape.of(F32, 2));
    refused(
        "bitcast: got f32[<=3] to f32[3], want static sizes",
        new Bitcast(V),
        V.withDynamic(List.of(0)));
  }

  @Test
  void customCall() {
    assertThat(new CustomCall(V, "f").infer(F)).isEqualTo(V);
    assertThat(constrained(F, V.withLayout(Layout.rowMajor(1))).infer(F, V)).isEqualTo(V);
    refused("custom-call: custom_call_target got \"\", want a name", new CustomCall(V, ""));
    refused(
        "custom-call: operand_layout_constraints got 1, want one for each of the 2 operands" + "",
        constrained(F),
        F,
        V);
    refused(
        "custom-call: operand_layout_constraints[0] got f32[], want f32[3] as the operand" + "",
        constrained(F),
        V);
    refused(
        "custom-call: operand_layout_constraints[0] got f32[3], want a layout on each array" + "",
        constrained(V),
        V);
  }

  private static CustomCall constrained(Shape... layouts) {
    return new CustomCall(
        V,
        "f",
        Optional.of(ImmutableList.copyOf(layouts)),
        false,
        Optional.empty(),
        ImmutableList.of(),
        CustomCall.Schedule.SCHEDULE_NONE,
        CustomCall.ApiVersion.API_VERSION_ORIGINAL);
  }
}
