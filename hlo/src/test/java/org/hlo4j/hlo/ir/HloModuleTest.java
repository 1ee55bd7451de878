package org.hlo4j.hlo.ir;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;
import static org.hlo4j.hlo.Shapes.shape;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.SourceLine;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.junit.jupiter.api.Test;

final class HloModuleTest {
  private static final Shape X = shape("f32[2,3]");
  private static final Elementwise ADD = new Elementwise(Kind.ADD);

  private static HloInstruction parameter(int number, String name) {
    return HloInstruction.of(name, new Parameter(number, X));
  }

  /** Returns a computation that calls other computations in sequence. */
  private static HloComputation calling(String name, HloComputation... callees) {
    HloInstruction last = parameter(0, name + ".p");
    ImmutableList.Builder<HloInstruction> instructions = ImmutableList.builder();
    instructions.add(last);
    for (HloComputation callee : callees) {
      last =
          HloInstruction.create(
              name + "." + callee.name(),
              new Call(),
              ImmutableList.of(last),
              ImmutableList.of(callee),
              X,
              Metadata.NONE);
      instructions.add(last);
    }
    return HloComputation.create(name, instructions.build(), last);
  }

  @Test
  void instructionsInferTheirShape() {
    HloInstruction x = parameter(0, "x");
    HloInstruction add = HloInstruction.of("add", ADD, x, x);
    assertThat(add.shape()).isEqualTo(X);
    assertThat(add.operands()).containsExactly(x, x);
    assertThat(add.called()).isEmpty();
    assertThat(add.metadata()).isEqualTo(Metadata.NONE);
    assertThat(add.renamed("sum").toString()).isEqualTo("%sum = f32[2,3] add(%x, %x)");
    assertThat(add.name()).isEqualTo("add");
    assertRefused("add: operand count got 1, want 2", () -> HloInstruction.of("add", ADD, x));
    assertThat(add.arrayShape()).isEqualTo(X);
    assertRefused(
        "t: got (f32[2,3]), want an array",
        () -> HloInstruction.of("t", new Tuple(), x).arrayShape());
  }

  @Test
  void instructionsAreComparedByIdentity() {
    HloInstruction x = parameter(0, "x");
    assertThat(x).isNotEqualTo(parameter(0, "x"));
  }

  @Test
  void parametersAreOrderedByNumber() {
    HloInstruction y = parameter(1, "y");
    HloInstruction x = HloInstruction.of("x", new Parameter(0, shape("s32[]")));
    HloComputation computation = HloComputation.create("main", ImmutableList.of(y, x), y);
    assertThat(computation.parameters()).containsExactly(x, y).inOrder();
    assertThat(computation.instructions()).containsExactly(y, x).inOrder();
    assertThat(computation.programShape().toString()).isEqualTo("(s32[], f32[2,3]) -> f32[2,3]");
    assertThat(computation.toString()).isEqualTo("%main (s32[], f32[2,3]) -> f32[2,3]");
  }

  @Test
  void calleesPrecedeCallersAndAppearOnce() {
    HloComputation leaf = calling("leaf");
    HloComputation left = calling("left", leaf);
    HloComputation right = calling("right", leaf, left);
    HloComputation main = calling("main", right, left);
    assertThat(HloModule.create("test", main).computations())
        .containsExactly(leaf, left, right, main)
        .inOrder();
  }

  @Test
  void deeplyNestedCallsDoNotOverflowTheStack() {
    HloComputation deepest = calling("c0");
    for (int i = 1; i < 20_000; i++) {
      deepest = calling("c" + i, deepest);
    }
    HloModule module = HloModule.create("test", deepest);
    assertThat(module.computations()).hasSize(20_000);
    assertThat(module.computations().get(0).name()).isEqualTo("c0");
    assertThat(Verifier.strict().findings(module)).isEmpty();
  }

  @Test
  void toStringIsShort() {
    assertThat(HloModule.create("test", calling("main")).toString())
        .isEqualTo("HloModule test (f32[2,3]) -> f32[2,3]");
    assertThat(new SourceLine("Model.java", 27).toString()).isEqualTo("Model.java:27");
  }
}
