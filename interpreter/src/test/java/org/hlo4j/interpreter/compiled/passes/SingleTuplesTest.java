package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;

final class SingleTuplesTest {
  private static final String ONE =
      """
      one {
        a = f32[] parameter(0)
        b = f32[] parameter(1)
        sum = f32[] add(a, b)
        ROOT t = (f32[]) tuple(sum)
      }
      """;

  @Test
  void reductionGivesTheArray() {
    assertThat(
            lines(
                Rewrites.text(
                    new SingleTuples(),
                    ONE,
                    """
                    x = f32[4,3] parameter(0)
                    zero = f32[] constant(0)
                    ROOT r = (f32[4]) reduce(x, zero), dimensions={1}, to_apply=one
                    """)))
        .isEqualTo(
            lines(
                """
                one.1 {
                a.1 = f32[] parameter(0)
                b.1 = f32[] parameter(1)
                ROOT sum.1 = f32[] add(a.1, b.1)
                }
                ENTRY entry {
                x = f32[4,3] parameter(0)
                zero = f32[] constant(0)
                reduce = f32[4] reduce(x, zero), dimensions={1}, to_apply=one.1
                ROOT r = (f32[4]) tuple(reduce)
                }
                """));
  }

  /** The tuple comes from a call, and a reduction of two arrays stays. */
  @Test
  void bothEvaluators() {
    Literal sums =
        Evaluators.both()
            .run(
                Parser.parse(
                    "HloModule m\n"
                        + ONE
                        + """
                        called {
                          c = f32[] parameter(0)
                          d = f32[] parameter(1)
                          ROOT r = (f32[]) call(c, d), to_apply=one
                        }
                        two {
                          e = f32[] parameter(0)
                          f = f32[] parameter(1)
                          g = f32[] parameter(2)
                          h = f32[] parameter(3)
                          ROOT both = (f32[], f32[]) tuple(g, f)
                        }
                        ENTRY e {
                          x = f32[4] constant({1, 2, 3, 4})
                          zero = f32[] constant(0)
                          whole = (f32[]) reduce(x, zero), dimensions={0}, to_apply=called
                          pairs = (f32[3]) reduce-window(x, zero), window={size=2}, to_apply=called
                          pair = (f32[], f32[]) reduce(x, x, zero, zero), dimensions={0}, \
                        to_apply=two
                          ROOT all = tuple(whole, pairs, pair)
                        }
                        """));
    assertThat(sums.toString())
        .isEqualTo("((f32[]), (f32[3]), (f32[], f32[])) ( ( 10 ), ( {3, 5, 7} ), ( 4, 0 ) )");
  }
}
