package org.hlo4j.interpreter.bounded;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Bounded dimensions that grow back: XLA keeps the room of the bound. */
final class GrowingSizesTest {
  private static final Literal X = Literal.of(new int[] {10, 20, 30, 40});

  /** Returns the result of instructions on x, an s32[4], and k0 to k5, the numbers 0 to 5. */
  private static Literal run(Evaluator evaluator, String instructions) {
    StringBuilder text = new StringBuilder("HloModule m\n%s\nENTRY e {\n".formatted(CALLED));
    text.append("x = s32[4] parameter(0)\n");
    for (int i = 0; i < 6; i++) {
      text.append("k%d = s32[] constant(%d)\n".formatted(i, i));
    }
    return evaluator.run(Parser.parse(text + instructions + "\n}"), X);
  }

  private static final String CALLED =
      """
      same { p = s32[<=4] parameter(0) ROOT r = s32[<=4] copy(p) }
      three { p = s32[<=4] parameter(0) k = s32[] constant(3)
        ROOT r = s32[<=4] set-dimension-size(p, k), dimensions={0} }
      below3 { p = s32[<=4] parameter(0) n = s32[] get-dimension-size(p), dimensions={0}
        k = s32[] constant(3) ROOT r = pred[] compare(n, k), direction=LT }
      onemore { p = s32[<=4] parameter(0) n = s32[] get-dimension-size(p), dimensions={0}
        k = s32[] constant(1) m = s32[] add(n, k)
        ROOT r = s32[<=4] set-dimension-size(p, m), dimensions={0} }
      """;

  private static final String CUT = "a = s32[<=4] set-dimension-size(x, k1), dimensions={0}\n";

  /** The ops hand on the array that a was cut from; each result is what XLA gives. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          b = s32[<=4] set-dimension-size(a, k3), dimensions={0}   | 10 20 30
          b = s32[<=4] set-dimension-size(a, k0), dimensions={0}   |
          b = s32[4] set-dimension-size(a, k4), dimensions={0}     | 10 20 30 40
          c = s32[<=4] set-dimension-size(a, k0), dimensions={0} \
          ROOT b = s32[<=4] set-dimension-size(c, k2), dimensions={0} | 10 20
          c = s32[<=4] set-dimension-size(a, k4), dimensions={0} \
          d = s32[<=4] set-dimension-size(c, k2), dimensions={0} \
          ROOT b = s32[<=4] set-dimension-size(d, k3), dimensions={0} | 10 20 30
          c = s32[<=4] copy(a) \
          ROOT b = s32[<=4] set-dimension-size(c, k3), dimensions={0} | 10 20 30
          t = (s32[<=4], s32[]) tuple(a, k1) c = s32[<=4] get-tuple-element(t), index=0 \
          ROOT b = s32[<=4] set-dimension-size(c, k3), dimensions={0} | 10 20 30
          c = s32[<=4] call(a), to_apply=same \
          ROOT b = s32[<=4] set-dimension-size(c, k3), dimensions={0} | 10 20 30
          b = s32[<=4] call(a), to_apply=three                     | 10 20 30
          p = pred[] compare(k1, k2), direction=EQ \
          ROOT b = s32[<=4] conditional(p, a, a), true_computation=same, false_computation=three | 10 20 30
          b = s32[<=4] while(a), condition=below3, body=onemore    | 10 20 30
          u = s32[1] constant({99}) c = s32[<=4] dynamic-update-slice(a, u, k0) \
          ROOT b = s32[<=4] set-dimension-size(c, k3), dimensions={0} | 99 20 30
          u = s32[1] constant({99}) c = s32[<=4] set-dimension-size(a, k2), dimensions={0} \
          d = s32[<=4] dynamic-update-slice(c, u, k1) e = s32[<=4] set-dimension-size(d, k1), dimensions={0} \
          ROOT b = s32[<=4] set-dimension-size(e, k3), dimensions={0} | 10 99 30
          """)
  void sizesGrowWhereTheElementsAreKnown(String instructions, String wanted) {
    String[] words = wanted == null ? new String[0] : wanted.split(" ");
    Literal numbers = Literal.of(Arrays.stream(words).mapToInt(Integer::parseInt).toArray());
    assertThat(run(Evaluators.both(), CUT + instructions)).isEqualTo(numbers);
  }

  /** What is computed of an array has no elements beyond its size. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          c = s32[<=4] add(a, a)                        | 3 | 1: s32[1]
          c = s32[<=4] reverse(a), dimensions={0}       | 2 | 1: s32[1]
          c = s32[<=4] copy(a)                          | 5 | 4: s32[4]
          c = s32[<=4] copy(a)                          | -1 | 4: s32[4]
          c = s32[<=4] set-dimension-size(a, k2), dimensions={0} | 5 | 4: s32[4]
          """)
  void sizesBeyondWhatIsKnownAreRefused(String instructions, int size, String known) {
    String grown =
        "k = s32[] constant(%d) ROOT b = s32[<=4] set-dimension-size(c, k), dimensions={0}"
            .formatted(size);
    HloException refusal =
        assertThrows(
            HloException.class, () -> run(Evaluators.both(), CUT + instructions + "\n" + grown));
    assertThat(refusal.summary())
        .isEqualTo(
            "set-dimension-size: size of dimension 0 got %d, want from 0 to %s has no more"
                .formatted(size, known));
  }

  @Test
  void dimensionsGrowOneAfterTheOther() {
    String program =
        """
        i = s32[6] iota(), iota_dimension=0
        m = s32[2,3] reshape(i)
        a = s32[<=2,3] set-dimension-size(m, k1), dimensions={0}
        b = s32[<=2,<=3] set-dimension-size(a, k2), dimensions={1}
        c = s32[<=2,<=3] set-dimension-size(b, k2), dimensions={0}
        d = s32[<=2,<=3] set-dimension-size(c, k3), dimensions={1}
        ROOT t = (s32[<=2,<=3], s32[<=2,<=3], s32[<=2,<=3]) tuple(b, c, d)
        """;
    assertThat(run(Evaluators.both(), program))
        .isEqualTo(
            Literal.tuple(
                Literal.of(new int[][] {{0, 1}}),
                Literal.of(new int[][] {{0, 1}, {3, 4}}),
                Literal.of(new int[][] {{0, 1, 2}, {3, 4, 5}})));
  }

  /** XLA's stack: a loop that gives an array one more element, and sets it. */
  @Test
  void stackOfALoop() {
    String program =
        """
        HloModule stack
        body {
          p = (s32[<=4,2], s32[]) parameter(0)
          stack = s32[<=4,2] get-tuple-element(p), index=0
          size = s32[] get-tuple-element(p), index=1
          zero = s32[] constant(0)
          one = s32[] constant(1)
          more = s32[] add(size, one)
          grown = s32[<=4,2] set-dimension-size(stack, more), dimensions={0}
          value = s32[1,2] broadcast(size), dimensions={}
          pushed = s32[<=4,2] dynamic-update-slice(grown, value, size, zero)
          ROOT next = (s32[<=4,2], s32[]) tuple(pushed, more)
        }
        condition {
          p = (s32[<=4,2], s32[]) parameter(0)
          size = s32[] get-tuple-element(p), index=1
          three = s32[] constant(3)
          ROOT less = pred[] compare(size, three), direction=LT
        }
        ENTRY e {
          zero = s32[] constant(0)
          none = s32[] constant(-1)
          room = s32[4,2] broadcast(none), dimensions={}
          empty = s32[<=4,2] set-dimension-size(room, zero), dimensions={0}
          start = (s32[<=4,2], s32[]) tuple(empty, zero)
          end = (s32[<=4,2], s32[]) while(start), condition=condition, body=body
          stack = s32[<=4,2] get-tuple-element(end), index=0
          four = s32[] constant(4)
          whole = s32[4,2] set-dimension-size(stack, four), dimensions={0}
          ROOT both = (s32[<=4,2], s32[4,2]) tuple(stack, whole)
        }
        """;
    assertThat(Evaluators.both().run(Parser.parse(program)))
        .isEqualTo(
            Literal.tuple(
                Literal.of(new int[][] {{0, 0}, {1, 1}, {2, 2}}),
                Literal.of(new int[][] {{0, 0}, {1, 1}, {2, 2}, {-1, -1}})));
  }

  /** Large enough for storage to be used again. */
  @Test
  void whatIsKeptIsNotOverwritten() {
    String program =
        """
        HloModule m
        body {
          p = (s32[5000], s32[<=5000], s32[]) parameter(0)
          y = s32[5000] get-tuple-element(p), index=0
          i = s32[] get-tuple-element(p), index=2
          one = s32[] constant(1)
          cut = s32[<=5000] set-dimension-size(y, one), dimensions={0}
          seven = s32[1] constant({7})
          y2 = s32[5000] dynamic-update-slice(y, seven, i)
          i2 = s32[] add(i, one)
          ROOT t = (s32[5000], s32[<=5000], s32[]) tuple(y2, cut, i2)
        }
        condition {
          p = (s32[5000], s32[<=5000], s32[]) parameter(0)
          i = s32[] get-tuple-element(p), index=2
          three = s32[] constant(3)
          ROOT r = pred[] compare(i, three), direction=LT
        }
        ENTRY e {
          x = s32[5000] parameter(0)
          zero = s32[] constant(0)
          five = s32[] constant(5)
          nine = s32[1] constant({9})
          x2 = s32[5000] add(x, x)
          a = s32[<=5000] set-dimension-size(x2, zero), dimensions={0}
          y = s32[5000] dynamic-update-slice(x2, nine, zero)
          start = (s32[5000], s32[<=5000], s32[]) tuple(y, a, zero)
          end = (s32[5000], s32[<=5000], s32[]) while(start), condition=condition, body=body
          cut = s32[<=5000] get-tuple-element(end), index=1
          z = s32[5000] get-tuple-element(end), index=0
          z2 = s32[5000] multiply(z, z)
          before = s32[<=5000] set-dimension-size(a, five), dimensions={0}
          last = s32[<=5000] set-dimension-size(cut, five), dimensions={0}
          ROOT t = (s32[<=5000], s32[<=5000], s32[5000]) tuple(before, last, z2)
        }
        """;
    Literal x = Literal.of(IntStream.range(0, 5000).toArray());
    Literal result = Evaluators.both().run(Parser.parse(program), x);
    assertThat(result.element(0)).isEqualTo(Literal.of(new int[] {0, 2, 4, 6, 8}));
    assertThat(result.element(1)).isEqualTo(Literal.of(new int[] {7, 7, 4, 6, 8}));
  }

  /** A result is equal to any other array of its elements. */
  @Test
  void resultsOfARunKeepNothing() {
    String head = "HloModule m ENTRY e { x = s32[<=4] parameter(0) ";
    Evaluator evaluator = Evaluators.both();
    Literal cut = run(evaluator, CUT + "ROOT r = s32[<=4] copy(a)");
    String grow =
        "k = s32[] constant(3) ROOT b = s32[<=4] set-dimension-size(x, k), dimensions={0} }";
    HloException refusal =
        assertThrows(HloException.class, () -> evaluator.run(Parser.parse(head + grow), cut));
    assertThat(refusal.summary())
        .isEqualTo(
            "set-dimension-size: size of dimension 0 got 3, want from 0 to 1: s32[1] has no more");
  }

  @ParameterizedTest
  @EnumSource(Evaluators.class)
  void whatIsKeptCounts(Evaluators evaluators) {
    StringBuilder text = new StringBuilder("HloModule m ENTRY e { zero = s32[] parameter(0)\n");
    List<String> cut = IntStream.range(0, 4).mapToObj(i -> "a" + i).toList();
    for (int i = 0; i < 4; i++) {
      text.append("x%d = f32[1000] rng(lo, hi), distribution=rng_uniform\n".formatted(i));
      text.append(
          "a%d = f32[<=1000] set-dimension-size(x%d, zero), dimensions={0}\n".formatted(i, i));
    }
    text.append("ROOT t = (f32[<=1000], f32[<=1000], f32[<=1000], f32[<=1000]) tuple(");
    text.append(String.join(", ", cut)).append(") }");
    String program =
        text.toString().replace("zero = ", "lo = f32[] constant(0) hi = f32[] constant(1) zero = ");
    EvaluatorOptions options = EvaluatorOptions.builder().maxBytes(15_000).build();
    HloException refusal =
        assertThrows(
            HloException.class,
            () -> evaluators.alone(options).run(Parser.parse(program), Literal.of(0)));
    assertThat(refusal.summary())
        .isEqualTo(
            "run: f32[1000] of 4000 bytes beside the 12012 alive, want at most 15000 together");
    Evaluator unlimited = evaluators.alone(EvaluatorOptions.defaults());
    assertThat(unlimited.run(Parser.parse(program), Literal.of(0)).element(0))
        .isEqualTo(Literal.zeros(Shape.of(F32, 0)));
  }
}
