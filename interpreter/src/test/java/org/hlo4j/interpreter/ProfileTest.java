package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Map;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  private static Profile.Step step(Profile profile, String opcode) {
    return profile.steps().stream()
        .filter(step -> step.opcode().equals(opcode))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void stepsOfLoopsHaveRowsOfTheirOwn() {
    Profile profile = Interpreter.reference().compile(Parser.parse(LOOP)).profile(4, X, X);
    assertThat(profile.runs()).isEqualTo(4);
    Profile.Step sort = step(profile, "sort");
    assertThat(sort.computation().name()).isEqualTo("body");
    assertThat(sort.calls()).isEqualTo(5);
    assertThat(sort.kernel()).isEqualTo("reference: sort, no kernel takes it");
    assertThat(step(profile, "while").kernel())
        .isEqualTo("while, step by step: no kernel takes it");
    assertThat(step(profile, "while").calls()).isEqualTo(1);
    assertThat(step(profile, "while").flops()).isEqualTo(0);
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

  private static final String LAYERS =
      """
      HloModule layers
      ENTRY e {
        x = f32[64,100] parameter(0)
        w = f32[100,50] parameter(1)
        d = f32[64,50] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0},
          metadata={op_name="jit(f)/layer1/dot"}
        t = f32[64,50] tanh(d), metadata={op_name="jit(f)/layer1/act(a/b)/tanh"}
        s = f32[50,64] transpose(t), dimensions={1,0}, metadata={op_name="jit(f)/layer2/transpose"}
        ROOT r = f32[50,64] negate(s)
      }
      """;

  private static Profile layers(Evaluator evaluator) {
    Literal x = Literal.zeros(Shape.of(ElementType.F32, 64, 100));
    Literal w = Literal.zeros(Shape.of(ElementType.F32, 100, 50));
    return evaluator.compile(Parser.parse(LAYERS)).profile(2, x, w);
  }

  /** An opcode, its operations, and the bytes of its operands and result. */
  @ParameterizedTest
  @CsvSource({
    "dot,       640000, 58400",
    "tanh,      3200,   25600",
    "transpose, 0,      25600",
    "negate,    3200,   25600"
  })
  void workIsCounted(String opcode, double flops, double bytes) {
    Profile.Step step = step(layers(Interpreter.reference()), opcode);
    assertThat(step.flops()).isEqualTo(flops);
    assertThat(step.bytes()).isEqualTo(bytes);
  }

  /** A fusion tells what is inside, and the plan and the module have all rows. */
  @Test
  void fusionsAreNamedAfterTheOpWithMostOperations() {
    Profile profile = layers(Interpreter.compiled());
    Profile.Step step = step(profile, "fusion of dot");
    assertThat(step.flops()).isAtLeast(643200.0);
    assertThat(profile.module().entry().instructions()).contains(step.instruction());
    String plan = Interpreter.compiled().compile(Parser.parse(LAYERS)).explain();
    profile.steps().forEach(each -> assertThat(plan).contains(each.kernel()));
  }

  private static String tree(Profile.Scope scope) {
    String inner = scope.scopes().stream().map(ProfileTest::tree).sorted().collect(joining(" "));
    return scope.sum().name()
        + ":"
        + scope.sum().steps()
        + (inner.isEmpty() ? "" : "(" + inner + ")");
  }

  /** The sums of a scope are those of all steps in it; slashes in parentheses part no names. */
  @Test
  void scopesAreATreeWithSums() {
    Profile profile = layers(Interpreter.reference());
    Profile.Scope all = profile.scopes();
    assertThat(tree(all)).isEqualTo(":4(jit(f):3(layer1:2(act(a/b):1) layer2:1))");
    assertThat(all.sum().nanos()).isWithin(1e-6).of(profile.nanos());
    Profile.Scope program = all.scopes().get(0);
    assertThat(program.sum().flops()).isEqualTo(643200.0);
    double parts = program.scopes().stream().mapToDouble(scope -> scope.sum().nanos()).sum();
    assertThat(program.sum().nanos()).isWithin(1e-6).of(parts);
    assertThat(program.scopes().get(0).sum().nanos())
        .isAtLeast(program.scopes().get(1).sum().nanos());
    assertThat(tree(Interpreter.reference().compile(Parser.parse(LOOP)).profile(1, X, X).scopes()))
        .isEqualTo(":6");
  }

  /** A loop that is one step has the work of its iterations, if their number is known. */
  @ParameterizedTest
  @CsvSource({"constant(10), 20", "parameter(1), 0"})
  void loopsThatAreOneStep(String count, double flops) {
    String loop =
        """
        HloModule loop
        condition { s = (s32[], s32[], f32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
          n = s32[] get-tuple-element(s), index=1
          ROOT l = pred[] compare(i, n), direction=LT }
        body { s = (s32[], s32[], f32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
          n = s32[] get-tuple-element(s), index=1
          x = f32[] get-tuple-element(s), index=2 one = s32[] constant(1)
          next = s32[] add(i, one) twice = f32[] multiply(x, x)
          ROOT t = (s32[], s32[], f32[]) tuple(next, n, twice) }
        ENTRY e { x = f32[] parameter(0) n = s32[] COUNT start = s32[] constant(0)
          init = (s32[], s32[], f32[]) tuple(start, n, x)
          w = (s32[], s32[], f32[]) while(init), condition=condition, body=body
          ROOT r = f32[] get-tuple-element(w), index=2 }
        """
            .replace("COUNT", count);
    Executable program = Interpreter.compiled().compile(Parser.parse(loop));
    Literal[] arguments = {Literal.of(1f), Literal.of(10)};
    Profile.Step step =
        step(
            program.profile(1, Arrays.copyOf(arguments, program.parameterNames().size())), "while");
    assertThat(step.kernel()).doesNotContain("step by step");
    assertThat(step.flops() > 0).isEqualTo(flops > 0);
    assertThat(step.flops()).isAtLeast(flops);
  }

  /** A run that fails gives no profile; the message is that of any run. */
  @Test
  void runThatFails() {
    Executable loop =
        Interpreter.reference(EvaluatorOptions.builder().maxSteps(8).build())
            .compile(Parser.parse(LOOP));
    HloException refusal = assertThrows(HloException.class, () -> loop.profile(2, X, X));
    assertThat(refusal)
        .hasMessageThat()
        .isEqualTo(assertThrows(HloException.class, () -> loop.run(X, X)).getMessage());
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
    assertThat(limits.raisedTo(50)).isEqualTo(limits);
    assertThat(limits.raisedTo(150)).isEqualTo(new MachineLimits(150, 10));
    assertThat(limits.raisedTo(1000)).isEqualTo(new MachineLimits(200, 10));
    assertThat(MachineLimits.measured().flopsPerSecond()).isGreaterThan(1e6);
    assertThat(MachineLimits.measured().bytesPerSecond()).isGreaterThan(1e6);
  }
}
