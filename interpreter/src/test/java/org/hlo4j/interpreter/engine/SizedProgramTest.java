package org.hlo4j.interpreter.engine;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that are compiled for the sizes of their arguments. */
final class SizedProgramTest {
  private static final String SCALED =
      """
      HloModule m
      ENTRY e {
        x = f32[<=8] parameter(0)
        w = f32[8] parameter(1)
        ROOT y = f32[<=8] multiply(x, w)
      }
      """;

  private static final String WINDOW =
      """
      HloModule m
      ENTRY e {
        x = f32[<=4] parameter(0)
        i = s32[] parameter(1)
        ROOT y = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2}
      }
      """;

  private static Executable compiled(String text) {
    return Interpreter.compiled().compile(Parser.parse(text));
  }

  private static Literal numbers(float... values) {
    return Literal.of(values);
  }

  @Test
  void eachSetOfSizesHasItsPlan() {
    Executable program = compiled(SCALED);
    Literal w = numbers(1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(program.explain()).doesNotContain("(x: f32[2]");
    assertThat(program.run(numbers(1, 1), w)).isEqualTo(numbers(1, 2));
    assertThat(program.run(Map.of("x", numbers(1, 1, 1), "w", w))).isEqualTo(numbers(1, 2, 3));
    String plan = program.explain();
    assertThat(plan).contains("(x: f32[2], w: f32[8]):\npasses:");
    assertThat(plan).contains("(x: f32[3], w: f32[8]):\npasses:");
    assertThat(plan).contains("step by step:\n");
    assertThat(program.toString()).isEqualTo("executable m (x: f32[<=8], w: f32[8]) -> f32[<=8]");
  }

  @Test
  void boundArguments() {
    Executable program = compiled(SCALED);
    Executable bound = program.bind(Map.of("w", numbers(1, 2, 3, 4, 5, 6, 7, 8)));
    assertThat(bound.parameterNames()).containsExactly("x");
    assertThat(bound.signature().toString()).isEqualTo("(f32[<=8]) -> f32[<=8]");
    assertThat(bound.run(numbers(1, 1))).isEqualTo(numbers(1, 2));
    assertThat(bound.run(numbers(2))).isEqualTo(numbers(2));
    assertThat(bound.bind(Map.of("x", numbers(3))).run()).isEqualTo(numbers(3));
    assertThat(assertThrows(HloException.class, () -> bound.run(Literal.of(1))).summary())
        .isEqualTo("run: argument x got s32[], want f32[<=8]");
    HloException twice =
        assertThrows(HloException.class, () -> bound.bind(Map.of("w", numbers(1))));
    assertThat(twice.summary())
        .isEqualTo("bind: got 1 argument, want some of 1: x f32[<=8]; already bound w f32[1]");
  }

  @Test
  void startsBeyondTheSizesAreRefusedAsStepByStep() {
    Executable program = Evaluators.both().compile(Parser.parse(WINDOW));
    assertThat(program.run(numbers(1, 2, 3), Literal.of(1))).isEqualTo(numbers(2, 3));
    assertThat(program.run(numbers(1, 2, 3), Literal.of(-7))).isEqualTo(numbers(1, 2));
    HloException refusal =
        assertThrows(HloException.class, () -> program.run(numbers(1, 2, 3), Literal.of(2)));
    assertThat(refusal.getMessage())
        .isEqualTo(
            """
            dynamic-slice: start got (2), want one that fits: by sizes at run time it is moved to (1), by bounds to (2)
              %y = f32[2] dynamic-slice(%x, %i)\
            """);
    assertThat(program.run(numbers(1, 2, 3, 4), Literal.of(9))).isEqualTo(numbers(3, 4));
  }

  @Test
  void resultsThatAreWritten() {
    Executable program = compiled(WINDOW);
    Literal result = program.newResult();
    program.unsafeRunInto(result, numbers(1, 2, 3), Literal.of(1));
    assertThat(result).isEqualTo(numbers(2, 3));
    program.unsafeRunInto(result, numbers(4, 5, 6, 7), Literal.of(1));
    assertThat(result).isEqualTo(numbers(5, 6));
    assertThat(assertThrows(HloException.class, compiled(SCALED)::newResult).summary())
        .isEqualTo("newResult: result got f32[<=8], want static sizes");
    assertThat(program.profile(2, numbers(1, 2), Literal.of(0)).toString()).isNotEmpty();
  }

  /** Sizes that depend on data are run step by step, whatever they are. */
  @Test
  void sizesThatAreData() {
    Executable program =
        compiled(
            """
            HloModule m
            ENTRY e {
              x = f32[8] parameter(0)
              n = s32[] parameter(1)
              ROOT y = f32[<=8] set-dimension-size(x, n), dimensions={0}
            }
            """);
    Literal x = numbers(1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(program.run(x, Literal.of(2))).isEqualTo(numbers(1, 2));
    assertThat(program.run(x, Literal.of(3))).isEqualTo(numbers(1, 2, 3));
    assertThat(program.explain())
        .contains("(x: f32[8], n: s32[]): step by step, the size n depends on n\n");
  }

  /** Many sizes that are met once are not compiled for, and those met again are. */
  @Test
  void whatIsKept() {
    List<String> made = new ArrayList<>();
    KnownSizes<String> sizes =
        new KnownSizes<>(
            shapes -> {
              made.add(shapes.toString());
              return shapes.toString();
            },
            "none");
    IntStream.range(0, 16).forEach(i -> sizes.of(shapes(i)));
    assertThat(made).hasSize(16);
    assertThat(sizes.of(shapes(0))).isEqualTo("[f32[0]]");
    assertThat(sizes.of(shapes(16))).isEqualTo("none");
    assertThat(made).hasSize(16);
    assertThat(sizes.of(shapes(16))).isEqualTo("[f32[16]]");
    assertThat(sizes.all()).hasSize(16);
    assertThat(sizes.all()).containsKey(shapes(0));
    assertThat(sizes.all()).doesNotContainKey(shapes(1));
  }

  private static ImmutableList<Shape> shapes(long size) {
    return ImmutableList.of(Shape.of(ElementType.F32, size));
  }

  /**
   * A loop that would go on for ever with what a refused start gives is not run: in the entry, in a
   * loop, in what is called, and where it is a condition.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "w = s32[1] while(s), condition=positive, body=same",
        "w = s32[1] while(s), condition=positive, body=inner",
        "w = s32[1] call(s), to_apply=loop",
        "w = s32[1] conditional(i, s, s), branch_computations={same, loop}",
        "w = s32[1] while(s), condition=last, body=same"
      })
  void loopsAfterRefusedStartsAreNotRun(String loop) {
    Executable program =
        compiled(
            """
            HloModule m
            positive {
              s = s32[1] parameter(0)
              r = s32[] reshape(s)
              z = s32[] constant(0)
              ROOT g = pred[] compare(r, z), direction=GT
            }
            same { ROOT t = s32[1] parameter(0) }
            loop { u = s32[1] parameter(0) ROOT w1 = s32[1] while(u), condition=positive, body=same }
            inner { v = s32[1] parameter(0) ROOT w2 = s32[1] while(v), condition=positive, body=same }
            last {
              q = s32[1] parameter(0)
              w3 = s32[1] while(q), condition=positive, body=same
              r3 = s32[] reshape(w3)
              z3 = s32[] constant(0)
              ROOT g3 = pred[] compare(r3, z3), direction=GT
            }
            ENTRY e {
              x = s32[<=4] parameter(0)
              i = s32[] parameter(1)
              s = s32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}
              ROOT %s
            }
            """
                .formatted(loop));
    assertThat(program.run(Literal.of(new int[] {1, 0}), Literal.of(1)))
        .isEqualTo(Literal.of(new int[1]));
    HloException refusal =
        assertThrows(
            HloException.class, () -> program.run(Literal.of(new int[] {1, 1}), Literal.of(3)));
    assertThat(refusal.summary())
        .isEqualTo(
            "dynamic-slice: start got (3), want one that fits: by sizes at run time it is moved to"
                + " (1), by bounds to (3)");
  }

  @Test
  void explainsWhyALoopRunsStepByStep() {
    Executable program =
        compiled(
            """
            HloModule m
            never { t = f32[2] parameter(0) ROOT f = pred[] constant(false) }
            same { ROOT u = f32[2] parameter(0) }
            loop { v = f32[2] parameter(0) ROOT w = f32[2] while(v), condition=never, body=same }
            ENTRY e {
              x = f32[<=4] parameter(0)
              i = s32[] parameter(1)
              s = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2}
              ROOT y = f32[2] call(s), to_apply=loop
            }
            """);
    assertThat(program.run(numbers(1, 2, 3), Literal.of(1))).isEqualTo(numbers(2, 3));
    assertThat(program.explain())
        .contains(
            "(x: f32[3], i: s32[]): step by step, loop w might not end if a start that is data is"
                + " refused before it");
  }

  @Test
  void profilesWhatRuns() {
    Executable program = compiled(WINDOW);
    assertThat(program.profile(1, numbers(1, 2, 3), Literal.of(1)).toString()).isNotEmpty();
    assertThrows(HloException.class, () -> program.profile(1, numbers(1, 2, 3), Literal.of(2)));
  }
}
