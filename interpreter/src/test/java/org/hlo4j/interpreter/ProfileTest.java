package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;

/** What {@link Executable#profile} counts. */
final class ProfileTest {
  /** The step is sorted, so that the loop runs step by step. */
  private static final String LOOP =
      """
      HloModule loop
      less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
      body {
        s = (s32[], f32[50]) parameter(0)
        i = s32[] get-tuple-element(s), index=0
        v = f32[50] get-tuple-element(s), index=1
        one = s32[] constant(1)
        next = s32[] add(i, one)
        sorted = f32[50] sort(v), dimensions={0}, to_apply=less
        ROOT t = (s32[], f32[50]) tuple(next, sorted)
      }
      condition {
        s = (s32[], f32[50]) parameter(0)
        i = s32[] get-tuple-element(s), index=0
        n = s32[] constant(5)
        ROOT c = pred[] compare(i, n), direction=LT
      }
      ENTRY main {
        zero = s32[] constant(0)
        x = f32[50] parameter(0)
        w = f32[50] parameter(1)
        y = f32[50] multiply(x, w)
        t = (s32[], f32[50]) tuple(zero, y)
        w5 = (s32[], f32[50]) while(t), condition=condition, body=body
        ROOT r = f32[50] get-tuple-element(w5), index=1
      }
      """;

  private static final Literal X = Literal.of(new float[50]);

  @Test
  void stepsOfLoopsHaveRowsOfTheirOwn() {
    Profile profile = Interpreter.reference().compile(Parser.parse(LOOP)).profile(4, X, X);
    assertThat(profile.runs()).isEqualTo(4);
    Profile.Step sort =
        profile.steps().stream().filter(step -> step.opcode().equals("sort")).findFirst().get();
    assertThat(sort.computation()).isEqualTo("body");
    assertThat(sort.calls()).isEqualTo(5);
    assertThat(sort.kernel()).isEqualTo("reference");
    assertThat(profile.steps().stream().map(Profile.Step::opcode))
        .containsExactly("multiply", "while", "compare", "add", "sort", "compare");
    Profile.Step multiply = profile.steps().get(0);
    assertThat(multiply.flops()).isEqualTo(50);
    assertThat(multiply.bytes()).isEqualTo(600);
  }

  @Test
  void sharesSumToTheRun() {
    Profile profile = Interpreter.compiled().compile(Parser.parse(LOOP)).profile(3, X, X);
    double groups =
        profile.groups(Profile.Step::opcode).stream().mapToDouble(Profile.Group::nanos).sum();
    assertThat(groups).isWithin(1e-6).of(profile.nanos());
    assertThat(profile.nanos()).isGreaterThan(0.0);
    assertThat(profile.toString()).matches("(?s)[0-9.]+ ms a run, the median of 3 runs\n.*");
  }

  @Test
  void ofBoundPrograms() {
    Executable bound = Interpreter.compiled().compile(Parser.parse(LOOP)).bind(Map.of("w", X));
    assertThat(bound.profile(1, X).steps()).isNotEmpty();
  }

  @Test
  void wrongUses() {
    Executable program = Interpreter.compiled().compile(Parser.parse(LOOP));
    assertThat(assertThrows(HloException.class, () -> program.profile(0, X, X)).getMessage())
        .isEqualTo("profile: got 0 runs, want at least 1");
    assertThat(assertThrows(HloException.class, () -> program.profile(1, X)).getMessage())
        .isEqualTo("profile: got 1 argument, want 2: x f32[50], w f32[50]; missing w");
  }

  @Test
  void limitsOfTheMachine() {
    MachineLimits limits = new MachineLimits(100, 10);
    assertThat(limits.nanos(50, 1)).isEqualTo(0.5e9);
    assertThat(limits.isMemoryBound(50, 1)).isFalse();
    assertThat(limits.nanos(50, 20)).isEqualTo(2e9);
    assertThat(limits.isMemoryBound(50, 20)).isTrue();
    assertThat(MachineLimits.measured().flopsPerSecond()).isGreaterThan(1e6);
    assertThat(MachineLimits.measured().bytesPerSecond()).isGreaterThan(1e6);
  }
}
