package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The option {@link EvaluatorOptions.Builder#checkBounds}. */
@ParameterizedClass
@EnumSource(Evaluators.class)
class CheckBoundsTest {
  private static final EvaluatorOptions CHECKED =
      EvaluatorOptions.builder().checkBounds(true).build();

  private static final String X = "f32[2,5] {{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}}";

  /** Computations whose lookup is out of bounds for a negative index. */
  private static final String LOOKUPS =
      """
      table { t = f32[3] constant({1, 2, 3})  i = s32[] parameter(0)
        s = f32[1] dynamic-slice(t, i), dynamic_slice_sizes={1}  ROOT r = f32[] reshape(s) }
      reducer { a = s32[] parameter(0)  b = s32[] parameter(1)  m = s32[] minimum(a, b)
        c = f32[] call(m), to_apply=table  ROOT n = s32[] convert(c) }
      less { l = s32[] parameter(0)  r = s32[] parameter(1)
        x = f32[] call(l), to_apply=table  y = f32[] call(r), to_apply=table
        ROOT c = pred[] compare(x, y), direction=LT }
      body { s = (s32[], f32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
        v = f32[] call(i), to_apply=table  one = s32[] constant(1)  n = s32[] subtract(i, one)
        ROOT t = (s32[], f32[]) tuple(n, v) }
      above { s = (s32[], f32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
        k = s32[] constant(-9)  ROOT c = pred[] compare(i, k), direction=GT }
      until { s = (s32[], f32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
        v = f32[] call(i), to_apply=table  k = f32[] constant(0)
        ROOT c = pred[] compare(v, k), direction=GT }
      step { s = (s32[], f32[]) parameter(0)  i = s32[] get-tuple-element(s), index=0
        v = f32[] get-tuple-element(s), index=1  one = s32[] constant(1)
        n = s32[] subtract(i, one)  ROOT t = (s32[], f32[]) tuple(n, v) }
      """;

  @Parameter private Evaluators evaluators = Evaluators.REFERENCE;

  private static HloModule module(String text) {
    return Parser.parse("HloModule m\n" + text);
  }

  private Literal run(HloModule module, String... arguments) {
    return evaluators.alone(CHECKED).run(module, literals(arguments));
  }

  private static Literal[] literals(String... texts) {
    return Arrays.stream(texts).map(Parser::parseLiteral).toArray(Literal[]::new);
  }

  private String refusal(HloModule module, String... arguments) {
    return assertThrows(HloException.class, () -> run(module, arguments)).getMessage();
  }

  private String summary(HloModule module, String... arguments) {
    return refusal(module, arguments).lines().findFirst().orElse("");
  }

  private static final HloModule SLICE =
      module(
          """
          ENTRY e { x = f32[2,5] parameter(0)  i = s32[] parameter(1)  j = s32[] parameter(2)
            ROOT s = f32[1,2] dynamic-slice(x, i, j), dynamic_slice_sizes={1,2},
              metadata={source_file="f.py" source_line=7} }
          """);

  @Test
  void dynamicSlice() {
    assertThat(run(SLICE, X, "s32[] 1", "s32[] 3").toString()).isEqualTo("f32[1,2] { { 8, 9 } }");
    assertThat(refusal(SLICE, X, "s32[] 1", "s32[] 4"))
        .isEqualTo(
            """
            dynamic-slice: start_indices got (1, 4), want (0, 0) to (1, 3), for slices of (1, 2) in (2, 5); without the check (1, 3) is taken
              %s = f32[1,2] dynamic-slice(%x, %i, %j)
              at f.py:7\
            """);
    assertThat(summary(SLICE, X, "s32[] -1", "s32[] 0"))
        .isEqualTo(
            "dynamic-slice: start_indices got (-1, 0), want (0, 0) to (1, 3), for slices of"
                + " (1, 2) in (2, 5); without the check (0, 0) is taken");
    assertThat(
            evaluators
                .alone(EvaluatorOptions.defaults())
                .run(SLICE, literals(X, "s32[] -1", "s32[] 9"))
                .toString())
        .isEqualTo("f32[1,2] { { 3, 4 } }");
  }

  @Test
  void dynamicUpdateSlice() {
    HloModule module =
        module(
            """
            ENTRY e { x = f32[4] parameter(0)  u = f32[3] parameter(1)  i = u64[] parameter(2)
              ROOT s = f32[4] dynamic-update-slice(x, u, i) }
            """);
    assertThat(run(module, "f32[4] {1, 2, 3, 4}", "f32[3] {7, 8, 9}", "u64[] 1").toString())
        .isEqualTo("f32[4] {1, 7, 8, 9}");
    assertThat(summary(module, "f32[4] {1, 2, 3, 4}", "f32[3] {7, 8, 9}", "u64[] 2"))
        .isEqualTo(
            "dynamic-update-slice: start_indices got (2), want (0) to (1), for slices of (3)"
                + " in (4); without the check (1) is taken");
    assertThat(
            summary(
                module, "f32[4] {1, 2, 3, 4}", "f32[3] {7, 8, 9}", "u64[] 18446744073709551615"))
        .startsWith("dynamic-update-slice: start_indices got (9223372036854775807), want");
  }

  @Test
  void gather() {
    HloModule module =
        module(
            """
            ENTRY e { x = f32[2,5] parameter(0)  i = s32[2,3] parameter(1)
              ROOT g = f32[3,4] gather(x, i), offset_dims={1}, collapsed_slice_dims={0},
                start_index_map={1,0}, index_vector_dim=0, slice_sizes={1,4} }
            """);
    assertThat(run(module, X, "s32[2,3] {{0, 1, 0}, {0, 1, 1}}").toString())
        .isEqualTo("f32[3,4] { { 0, 1, 2, 3 }, { 6, 7, 8, 9 }, { 5, 6, 7, 8 } }");
    assertThat(summary(module, X, "s32[2,3] {{0, 1, 2}, {0, 1, 2}}"))
        .isEqualTo(
            "gather: start_indices[:,2] got (2, 2), want (0, 0) to (1, 1), for slices of"
                + " (1, 4) in (2, 5); without the check (1, 1) is taken");
  }

  @Test
  void gatherOfBatches() {
    HloModule module =
        module(
            """
            ENTRY e { x = f32[2,5] parameter(0)  i = s32[2] parameter(1)
              ROOT g = f32[2] gather(x, i), offset_dims={}, collapsed_slice_dims={1},
                start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0},
                index_vector_dim=1, slice_sizes={1,1} }
            """);
    assertThat(run(module, X, "s32[2] {4, 3}").toString()).isEqualTo("f32[2] {4, 8}");
    assertThat(summary(module, X, "s32[2] {4, 5}"))
        .isEqualTo(
            "gather: start_indices[1] got (1, 5), want (0, 0) to (1, 4), for slices of (1, 1)"
                + " in (2, 5); without the check (1, 4) is taken");
  }

  @Test
  void scatter() {
    HloModule module =
        module(
            """
            w { old = f32[] parameter(0)  ROOT new = f32[] parameter(1) }
            ENTRY e { x = f32[4] parameter(0)  i = s32[2,1] parameter(1)  u = f32[2,2] parameter(2)
              ROOT s = f32[4] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={},
                scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=w }
            """);
    String x = "f32[4] {1, 2, 3, 4}";
    assertThat(run(module, x, "s32[2,1] {{0}, {2}}", "f32[2,2] {{5, 6}, {7, 8}}").toString())
        .isEqualTo("f32[4] {5, 6, 7, 8}");
    assertThat(summary(module, x, "s32[2,1] {{0}, {3}}", "f32[2,2] {{5, 6}, {7, 8}}"))
        .isEqualTo(
            "scatter: scatter_indices[1,:] got (3), want (0) to (2), for windows of (2) in"
                + " (4); without the check the window is left out");
  }

  /** Nothing would be read or written. */
  @Test
  void noElements() {
    HloModule module =
        module(
            """
            ENTRY e { x = f32[3] parameter(0)  u = f32[0] parameter(1)  i = s32[] parameter(2)
              s = f32[0] dynamic-slice(x, i), dynamic_slice_sizes={0}
              ROOT t = f32[3] dynamic-update-slice(x, s, i) }
            """);
    assertThat(run(module, "f32[3] {1, 2, 3}", "f32[0] {}", "s32[] 9").toString())
        .isEqualTo("f32[3] {1, 2, 3}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[]    | call(i), to_apply=table",
        "f32[]    | fusion(i), kind=kLoop, calls=table",
        "f32[]    | conditional(y, i, i), true_computation=table, false_computation=table",
        "(s32[], f32[]) | while(t), condition=above, body=body",
        "(s32[], f32[]) | while(t), condition=until, body=step",
        "f32[2]   | map(v), dimensions={0}, to_apply=table",
        "s32[]    | reduce(v, i), dimensions={0}, to_apply=reducer",
        "s32[1]   | reduce-window(v, i), window={size=2}, to_apply=reducer",
        "s32[2]   | sort(v), dimensions={0}, to_apply=less",
      })
  void inComputations(String shape, String lookup) {
    HloModule module =
        module(
            LOOKUPS
                + "ENTRY e { i = s32[] parameter(0)  zero = s32[] constant(0)  z = f32[]"
                + " constant(0)\n"
                + "  v = s32[2] broadcast(i), dimensions={}  t = (s32[], f32[]) tuple(i, z)\n"
                + "  y = pred[] compare(i, zero), direction=GE\n"
                + ("  ROOT r = " + shape + " " + lookup + " }"));
    assertThat(summary(module, "s32[] -7"))
        .isEqualTo(
            "dynamic-slice: start_indices got (-7), want (0) to (2), for slices of (1) in (3);"
                + " without the check (0) is taken");
  }

  /** The loop itself finds it, after some right steps. */
  @Test
  void theFirstStepThatIsOutOfBounds() {
    HloModule module =
        module(
            LOOKUPS
                + """
                ENTRY e { i = s32[] parameter(0)  z = f32[] constant(0)
                  t = (s32[], f32[]) tuple(i, z)
                  ROOT w = (s32[], f32[]) while(t), condition=above, body=body }
                """);
    assertThat(refusal(module, "s32[] 2"))
        .isEqualTo(
            """
            dynamic-slice: start_indices got (-1), want (0) to (2), for slices of (1) in (3); without the check (0) is taken
              %s = f32[1] dynamic-slice(%t, %i)
              %v = f32[] call(%i)
              %w = (s32[], f32[]) while(%t)\
            """);
  }

  @Test
  void unreadResultsAreChecked() {
    HloModule module =
        module(
            """
            ENTRY e { x = f32[3] parameter(0)  i = s32[] parameter(1)
              s = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}
              ROOT n = f32[3] negate(x) }
            """);
    assertThat(summary(module, "f32[3] {1, 2, 3}", "s32[] 3"))
        .isEqualTo(
            "dynamic-slice: start_indices got (3), want (0) to (2), for slices of (1) in (3);"
                + " without the check (2) is taken");
  }

  @Test
  void boundArguments() {
    Executable bound = evaluators.alone(CHECKED).compile(SLICE).bind(Map.of("x", literals(X)[0]));
    assertThat(bound.run(literals("s32[] 0", "s32[] 0")).toString())
        .isEqualTo("f32[1,2] { { 0, 1 } }");
    assertThat(assertThrows(HloException.class, () -> bound.run(literals("s32[] 2", "s32[] 0"))))
        .hasMessageThat()
        .startsWith("dynamic-slice: start_indices got (2, 0), want (0, 0) to (1, 3)");
  }

  /** The bounds are those of the elements that there are. */
  @Test
  void boundedSizes() {
    HloModule module =
        module(
            """
            ENTRY e { x = f32[<=5] parameter(0)  i = s32[2] parameter(1)
              ROOT g = f32[2] gather(x, i), offset_dims={}, collapsed_slice_dims={0},
                start_index_map={0}, index_vector_dim=1, slice_sizes={1} }
            """);
    assertThat(run(module, "f32[3] {1, 2, 3}", "s32[2] {2, 0}").toString())
        .isEqualTo("f32[2] {3, 1}");
    assertThat(summary(module, "f32[3] {1, 2, 3}", "s32[2] {2, -1}"))
        .isEqualTo(
            "gather: start_indices[1] got (-1), want (0) to (2), for slices of (1) in (3); without"
                + " the check (0) is taken");
  }

  @Test
  void option() {
    assertThat(EvaluatorOptions.defaults().checksBounds()).isFalse();
    assertThat(CHECKED.toBuilder().build().checksBounds()).isTrue();
    assertThat(CHECKED.toBuilder().checkBounds(false).build().checksBounds()).isFalse();
    assertThat(CHECKED.toString()).contains("checksBounds=true");
  }
}
