package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

/** Refusals of while and conditional; shapes.rows has the rest of their shape rules. */
final class ControlFlowOpsTest {
  private static final Shape.Array F = Shape.of(F32);
  private static final Shape.Array V = Shape.of(F32, 3);
  private static final Shape.Array M = Shape.of(F32, 2, 3);
  private static final Shape.Array P = Shape.of(PRED);
  private static final Shape.Array I = Shape.of(S32);

  private static ProgramShape from(List<Shape> parameters, Shape result) {
    return new ProgramShape(ImmutableList.copyOf(parameters), result);
  }

  private static Operands in(List<Shape> shapes, ProgramShape... called) {
    return new Operands(ImmutableList.copyOf(shapes), ImmutableList.copyOf(called));
  }

  private static void refused(String message, Op op, Operands in) {
    assertThat(assertThrows(HloException.class, () -> op.infer(in)))
        .hasMessageThat()
        .isEqualTo(message);
  }

  @Test
  void whileRefuses() {
    ProgramShape condition = from(List.of(V), P);
    ProgramShape body = from(List.of(V), V);
    While op = new While();
    refused("while: operand count got 2, want 1", op, in(List.of(V, V), condition, body));
    refused("while: called computations got 1, want 2", op, in(List.of(V), condition));
    refused(
        "while: parameter 0 of condition got f32[], want f32[3] [while C1]",
        op,
        in(List.of(V), from(List.of(F), P), body));
    refused(
        "while: parameter count of condition got 0, want 1: () -> pred[] [while C1]",
        op,
        in(List.of(V), from(List.of(), P), body));
    refused(
        "while: result of condition got f32[3], want pred[] [while C1]",
        op,
        in(List.of(V), body, body));
    refused(
        "while: parameter 0 of body got f32[2,3], want f32[3] [while C2]",
        op,
        in(List.of(V), condition, from(List.of(M), V)));
    refused(
        "while: result of body got f32[2,3], want f32[3] [while C2]",
        op,
        in(List.of(V), condition, from(List.of(V), M)));
  }

  @Test
  void conditionalRefuses() {
    ProgramShape branch = from(List.of(V), F);
    Op indexed = new Conditional(S32);
    refused(
        "conditional: index got f32[3], want pred[]",
        new Conditional(PRED),
        in(List.of(V, V, V), branch, branch));
    refused(
        "conditional: index got pred[], want s32[]\n"
            + "  fits: constant(0) or another constant of its type, or convertElementType(S32) of"
            + " index",
        indexed,
        in(List.of(P, V), branch));
    refused(
        "conditional: called computations got 1, want 2",
        new Conditional(PRED),
        in(List.of(P, V), branch));
    refused(
        "conditional: branch count got 0, want at least 1 [case C1]", indexed, in(List.of(I, V)));
    refused(
        "conditional: operand count got 2, want 3: the index and one for each branch",
        indexed,
        in(List.of(I, V), branch, branch));
    refused(
        "conditional: parameter 0 of branch 1 got f32[3], want f32[2,3] [case C2]",
        indexed,
        in(List.of(I, V, M), branch, branch));
    refused(
        "conditional: result of false_computation got f32[3], want f32[] [if C2]",
        new Conditional(PRED),
        in(List.of(P, V, V), branch, from(List.of(V), V)));
    assertThat(assertThrows(HloException.class, () -> new Conditional(F32)))
        .hasMessageThat()
        .isEqualTo("conditional: index type got f32, want pred or s32");
  }
}
