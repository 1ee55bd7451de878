package org.hlo4j.interpreter;

import static java.util.Objects.requireNonNullElse;
import static java.util.stream.Collectors.joining;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Values that are used twice, by values that are used twice, and so on: whoever walks such a graph
 * as a tree goes through 2^64 leaves, and never comes back. In each module {@code chain(x)} stands
 * for 64 squares, one of the other, wherever the compiled evaluator reads a graph in its own way.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedValuesTest {
  private static final int LENGTH = 64;

  private static final Pattern CHAIN = Pattern.compile("(ROOT )?(\\w+) = (\\S+) chain\\((\\w+)\\)");

  private static final String SUM =
      """
      sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
      sum_of_powers { a = f32[] parameter(0)  b = f32[] parameter(1)  d = f32[] chain(b)  ROOT c = f32[] add(a, d) }
      """;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x = f32[70] parameter(0)  ROOT y = f32[70] chain(x)",
        "x = f32[] parameter(0)  ROOT y = f32[] chain(x)",
        "x = c64[70] parameter(0)  ROOT y = c64[70] chain(x)",
        "x = bf16[70] parameter(0)  ROOT y = bf16[70] chain(x)",
        "x = f32[9] parameter(0)  ROOT y = f32[9] map(x), dimensions={0}, to_apply=power",
        "x = f32[50] parameter(0)  s = s32[] parameter(1)  i = s32[] chain(s)  c = f32[10]"
            + " dynamic-slice(x, i), dynamic_slice_sizes={10}  ROOT y = f32[10] exponential(c)",
        "x = f32[9,9] parameter(0)  p = f32[9,9] dot(x, x), lhs_contracting_dims={1},"
            + " rhs_contracting_dims={0}  ROOT y = f32[9,9] chain(p)",
      })
  void inLoops(String body) {
    agree("power { a = f32[] parameter(0)  ROOT b = f32[] chain(a) }", body);
  }

  /**
   * Elements of rows and of what is reduced: few and many, short and long, by row and by column.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "3,5 {1} 3 {0}",
        "3,5 {0} 5 {1}",
        "16,8 {1} 16 {0}",
        "16,8 {0} 8 {1}",
        "4,1000 {1} 4 {0}",
        "4,1000 {0} 1000 {1}",
        "1000,4 {1} 1000 {0}",
      })
  void inReductions(String row) {
    List<String> parts = List.of(row.split(" "));
    agree(
        SUM,
        """
        x = f32[SIZES] parameter(0)
        zero = f32[] constant(0)
        y = f32[SIZES] chain(x)
        t = f32[KEPT] reduce(y, zero), dimensions=FOLDED, to_apply=sum
        u = f32[KEPT] chain(t)
        v = f32[SIZES] broadcast(u), dimensions=LEFT
        w = f32[SIZES] add(y, v)
        z = f32[SIZES] chain(w)
        q = f32[KEPT] reduce(z, zero), dimensions=FOLDED, to_apply=sum
        ROOT r = (f32[KEPT], f32[SIZES], f32[KEPT]) tuple(q, z, u)
        """
            .replace("SIZES", parts.get(0))
            .replace("FOLDED", parts.get(1))
            .replace("KEPT", parts.get(2))
            .replace("LEFT", parts.get(3)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x = f32[16,20] parameter(0)  zero = f32[] constant(0)"
            + "  ROOT r = f32[16] reduce(x, zero), dimensions={1}, to_apply=sum_of_powers",
        "x = f32[16,20] parameter(0)  zero = f32[] constant(0)  ROOT r = f32[15,19]"
            + " reduce-window(x, zero), window={size=2x2}, to_apply=sum_of_powers",
        "x = f32[20] parameter(0)  i = s32[3,1] constant({{1},{2},{2}})  u = f32[3]"
            + " constant({1,1,1})  ROOT r = f32[20] scatter(x, i, u), update_window_dims={},"
            + " inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1,"
            + " to_apply=sum_of_powers",
        "x = f32[90] parameter(0)  ROOT r = f32[90] sort(x), dimensions={0}, to_apply=less,"
            + " is_stable=true",
      })
  void inWhatIsCalled(String body) {
    agree(
        SUM
            + "less { a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] chain(a)  d = f32[]"
            + " chain(b)  ROOT l = pred[] compare(c, d), direction=LT }",
        body);
  }

  @ParameterizedTest
  @ValueSource(strings = {"f32[]", "f32[50]"})
  void inLoopsOfTheProgram(String type) {
    agree(
        """
        below { p = (s32[], TYPE) parameter(0)  i = s32[] get-tuple-element(p), index=0
          k = s32[] constant(3)  ROOT l = pred[] compare(i, k), direction=LT }
        body { p = (s32[], TYPE) parameter(0)  i = s32[] get-tuple-element(p), index=0
          x = TYPE get-tuple-element(p), index=1  y = TYPE chain(x)
          one = s32[] constant(1)  n = s32[] add(i, one)  ROOT t = (s32[], TYPE) tuple(n, y) }
        """
            .replace("TYPE", type),
        """
        x = TYPE parameter(0)  z = s32[] constant(0)  t = (s32[], TYPE) tuple(z, x)
        ROOT w = (s32[], TYPE) while(t), condition=below, body=body
        """
            .replace("TYPE", type));
  }

  /** Halves that change their places, so that each value is read twice by what moves elements. */
  @ParameterizedTest
  @ValueSource(strings = {"c64", "f32", "u8"})
  void inMovementsWithinLoopsOfTheProgram(String type) {
    String halves =
        IntStream.range(0, LENGTH)
            .mapToObj(i ->
                """
                lower.I = TYPE[4] slice(v.I), slice={[0:4]}
                upper.I = TYPE[4] slice(v.I), slice={[4:8]}
                v.NEXT = TYPE[8] concatenate(upper.I, lower.I), dimensions={0}
                """
                    .replace("NEXT", String.valueOf(i + 1))
                    .replace("I", String.valueOf(i)))
            .collect(joining());
    agree(
        """
        below { p = (s32[], TYPE[8]) parameter(0)  i = s32[] get-tuple-element(p), index=0
          k = s32[] constant(3)  ROOT l = pred[] compare(i, k), direction=LT }
        body { p = (s32[], TYPE[8]) parameter(0)  i = s32[] get-tuple-element(p), index=0
          x = TYPE[8] get-tuple-element(p), index=1  v.0 = TYPE[8] multiply(x, x)
          HALVES
          y = TYPE[8] multiply(v.64, x)
          one = s32[] constant(1)  n = s32[] add(i, one)  ROOT t = (s32[], TYPE[8]) tuple(n, y) }
        """
            .replace("HALVES", halves)
            .replace("TYPE", type),
        """
        x = TYPE[8] parameter(0)  z = s32[] constant(0)  t = (s32[], TYPE[8]) tuple(z, x)
        ROOT w = (s32[], TYPE[8]) while(t), condition=below, body=body
        """
            .replace("TYPE", type));
  }

  private static void agree(String called, String body) {
    String text = "HloModule shared\n" + called + "\nENTRY main {\n" + body + "\n}\n";
    HloModule module = Parser.parse(CHAIN.matcher(text).replaceAll(SharedValuesTest::squares));
    Literal[] ones =
        module.entry().parameters().stream()
            .map(parameter -> Literal.full((Shape.Array) parameter.shape().withoutLayout(), 1))
            .toArray(Literal[]::new);
    Evaluators.both().run(module, ones);
  }

  private static String squares(MatchResult chain) {
    String name = chain.group(2);
    return IntStream.rangeClosed(1, LENGTH)
        .mapToObj(i -> {
          String to = i == LENGTH ? requireNonNullElse(chain.group(1), "") + name : name + "." + i;
          String from = i == 1 ? chain.group(4) : name + "." + (i - 1);
          return "%s = %s multiply(%s, %s)\n".formatted(to, chain.group(3), from, from);
        })
        .collect(joining());
  }
}
