package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.C64;
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

/** while, conditional, sort, topk and scan: the shape rules and what they refuse. */
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
  void whileGivesItsState() {
    Shape state = Shape.tuple(I, V);
    Operands in = in(List.of(state), from(List.of(state), P), from(List.of(state), state));
    assertThat(new While().infer(in)).isEqualTo(state);
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
  void conditionalGivesTheResultOfItsBranches() {
    ProgramShape left = from(List.of(V), F);
    ProgramShape right = from(List.of(M), F);
    assertThat(new Conditional(PRED).infer(in(List.of(P, V, M), left, right))).isEqualTo(F);
    assertThat(new Conditional(S32).infer(in(List.of(I, V), left))).isEqualTo(F);
  }

  @Test
  void conditionalRefuses() {
    ProgramShape branch = from(List.of(V), F);
    Op indexed = new Conditional(S32);
    refused(
        "conditional: index got f32[3], want pred[]",
        new Conditional(PRED),
        in(List.of(V, V, V), branch, branch));
    refused("conditional: index got pred[], want s32[]", indexed, in(List.of(P, V), branch));
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

  @Test
  void sortGivesItsOperands() {
    ProgramShape two = from(List.of(F, F, I, I), P);
    assertThat(new Sort(0, true).infer(in(List.of(V), from(List.of(F, F), P)))).isEqualTo(V);
    assertThat(new Sort(1, false).infer(in(List.of(M, Shape.of(S32, 2, 3)), two)))
        .isEqualTo(Shape.tuple(M, Shape.of(S32, 2, 3)));
  }

  @Test
  void sortRefuses() {
    ProgramShape less = from(List.of(F, F), P);
    refused("sort: operand count got 0, want at least 1", new Sort(0, true), in(List.of(), less));
    refused(
        "sort: sizes of input 1 got f32[2,3], want those of input 0, f32[3] [sort C3]",
        new Sort(0, true),
        in(List.of(V, M), less));
    for (int dimension : List.of(1, -1)) {
      refused(
          "sort: dimensions got (" + dimension + "), want one dimension of f32[3] [sort C4]",
          new Sort(dimension, true),
          in(List.of(V), less));
    }
    refused(
        "sort: dimensions got (0, 1), want one dimension of f32[2,3] [sort C4]",
        new Sort(Dims.of(0, 1), true),
        in(List.of(M), less));
    refused(
        "sort: parameter 1 of to_apply got s32[], want f32[] [sort C5]",
        new Sort(0, true),
        in(List.of(V), from(List.of(F, I), P)));
    refused(
        "sort: result of to_apply got f32[], want pred[] [sort C5]",
        new Sort(0, true),
        in(List.of(V), from(List.of(F, F), F)));
  }

  @Test
  void topkGivesValuesAndIndices() {
    assertThat(new Topk(2, true).infer(M))
        .isEqualTo(Shape.tuple(Shape.of(F32, 2, 2), Shape.of(S32, 2, 2)));
  }

  @Test
  void topkRefuses() {
    Topk op = new Topk(4, true);
    refused("topk: operand got f32[], want rank 1 at least [topk T1]", op, in(List.of(F)));
    refused(
        "topk: k got 4, want one from 0 to the last size of f32[2,3] [topk T2]",
        op,
        in(List.of(M)));
    refused(
        "topk: k got -1, want one from 0 to the last size of f32[3] [topk T2]",
        new Topk(-1, true),
        in(List.of(V)));
    refused("topk: element type got c64, want one in an order", op, in(List.of(Shape.of(C64, 9))));
  }

  private static Scan scan(int dimension, int carries) {
    return new Scan(Dims.of(dimension), carries, false, false);
  }

  @Test
  void scanPutsTheDimensionBack() {
    ProgramShape body = from(List.of(Shape.of(F32, 2), I), Shape.tuple(Shape.of(F32, 2, 5), I));
    assertThat(scan(1, 1).infer(in(List.of(M, I), body)))
        .isEqualTo(Shape.tuple(Shape.of(F32, 2, 3, 5), I));
  }

  @Test
  void scanRefuses() {
    ProgramShape body = from(List.of(F, F), Shape.tuple(F, F));
    Operands in = in(List.of(V, F), body);
    refused(
        "scan: num_carries got 2, want one from 0 to 1, to leave an input [scan S1]",
        scan(0, 2),
        in);
    refused(
        "scan: dimensions got (0, 0), want just one [scan S2]",
        new Scan(Dims.of(0, 0), 1, false, false),
        in);
    refused(
        "scan: dimensions got (1), want a dimension of input 0, f32[3] [scan S2]", scan(1, 1), in);
    refused(
        "scan: size of dimension 0 of input 1 got f32[2,3], want the static size of input 0, f32[3]"
            + " [scan S3]",
        scan(0, 0),
        in(List.of(V, M), body));
    refused(
        "scan: parameter 1 of to_apply got f32[], want s32[] [scan S4]",
        scan(0, 1),
        in(List.of(V, I), body));
    refused(
        "scan: result of to_apply got f32[], want a tuple of outputs and 1 carried values"
            + " [scan S5]",
        scan(0, 1),
        in(List.of(V, F), from(List.of(F, F), F)));
    refused(
        "scan: carried value 0 of to_apply got s32[], want f32[] [scan S6]",
        scan(0, 1),
        in(List.of(V, F), from(List.of(F, F), Shape.tuple(F, I))));
    refused(
        "scan: output 0 of to_apply got f32[], want rank 1 at least, for dimension 1 [scan S7]",
        scan(1, 1),
        in(List.of(M, F), from(List.of(Shape.of(F32, 2), F), Shape.tuple(F, F))));
  }
}
