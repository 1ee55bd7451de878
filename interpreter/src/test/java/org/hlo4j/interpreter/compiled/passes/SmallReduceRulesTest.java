package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SmallReduceRulesTest {
  private static final String BODIES =
      """
      add {
        a = f32[] parameter(0)
        b = f32[] parameter(1)
        ROOT c = f32[] add(a, b)
      }

      most {
        d = f32[] parameter(0)
        e = f32[] parameter(1)
        ROOT f = f32[] maximum(d, e)
      }

      halves {
        g = f32[] parameter(0)
        h = f32[] parameter(1)
        half = f32[] constant(0.5)
        i = f32[] multiply(h, half)
        ROOT j = f32[] maximum(g, i)
      }

      later {
        k = f32[] parameter(0)
        l = s32[] parameter(1)
        m = f32[] parameter(2)
        n = s32[] parameter(3)
        keep = pred[] compare(k, m), direction=GT
        value = f32[] select(keep, k, m)
        index = s32[] select(keep, l, n)
        ROOT o = (f32[], s32[]) tuple(value, index)
      }

      """;

  private static final String PARTS =
      """
      x = f32[5] parameter(0)
      y = f32[5] parameter(1)
      zero = f32[] parameter(2)
      x2 = f32[5,1] reshape(x)
      y2 = f32[5,1] reshape(y)
      both = f32[5,2] concatenate(x2, y2), dimensions={1}
      """;

  private static String entry(String body) {
    return Rewrites.entry(new Simplification(), BODIES, body);
  }

  private static String ops(String body) {
    return Rewrites.ops(Pipelines.all().run(Rewrites.module(BODIES, body)).unfused());
  }

  @Test
  void reductionsOfOneElementEach() {
    assertThat(
            entry(
                """
                x = f32[5,1] parameter(0)
                zero = f32[] parameter(1)
                ROOT r = f32[5] reduce(x, zero), dimensions={1}, to_apply=add
                """))
        .isEqualTo(
            lines(
                """
                x = f32[5,1] parameter(0)
                zero = f32[] parameter(1)
                broadcast = f32[5] broadcast(zero), dimensions={}
                reshape = f32[5] reshape(x)
                ROOT add.1 = f32[5] add(broadcast, reshape)
                """));
  }

  @Test
  void reductionsOfNothingAreTheirInitialValues() {
    assertThat(
            entry(
                """
                x = f32[0,4] parameter(0)
                p = s32[0,4] parameter(1)
                zero = f32[] parameter(2)
                none = s32[] parameter(3)
                ROOT r = (f32[4], s32[4]) reduce(x, p, zero, none), dimensions={0}, to_apply=later
                """))
        .isEqualTo(
            lines(
                """
                x = f32[0,4] parameter(0)
                p = s32[0,4] parameter(1)
                zero = f32[] parameter(2)
                none = s32[] parameter(3)
                broadcast = f32[4] broadcast(zero), dimensions={}
                broadcast.1 = s32[4] broadcast(none), dimensions={}
                ROOT r = (f32[4], s32[4]) tuple(broadcast, broadcast.1)
                """));
  }

  @Test
  void reducerOfSeveralOps() {
    assertThat(
            entry(
                """
                x = f32[5,1] parameter(0)
                zero = f32[] parameter(1)
                ROOT r = f32[5] reduce(x, zero), dimensions={1}, to_apply=halves
                """))
        .isEqualTo(
            lines(
                """
                x = f32[5,1] parameter(0)
                zero = f32[] parameter(1)
                broadcast = f32[5] broadcast(zero), dimensions={}
                reshape = f32[5] reshape(x)
                constant = f32[] constant(0.5)
                broadcast.1 = f32[5] broadcast(constant), dimensions={}
                multiply = f32[5] multiply(reshape, broadcast.1)
                ROOT maximum = f32[5] maximum(broadcast, multiply)
                """));
  }

  @Test
  void reductionOfConcatenatedParts() {
    assertThat(ops(PARTS + "ROOT r = f32[5] reduce(both, zero), dimensions={1}, to_apply=most"))
        .isEqualTo("broadcast maximum");
  }

  @Test
  void variadicReduction() {
    assertThat(
            ops(
                PARTS
                    + """
                    i = s32[5,2] iota(), iota_dimension=1
                    none = s32[] constant(0)
                    r = (f32[5], s32[5]) reduce(both, i, zero, none), dimensions={1}, to_apply=later
                    ROOT s = s32[5] get-tuple-element(r), index=1
                    """))
        .isEqualTo("broadcast compare select");
  }

  /** Several floats are added in f64; the other reductions have parts of more than one element. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ROOT r = f32[5] reduce(both, zero), dimensions={1}, to_apply=add\n",
        "ROOT r = f32[] reduce(both, zero), dimensions={0,1}, to_apply=most\n",
        "ROOT r = f32[2] reduce(both, zero), dimensions={0}, to_apply=most\n",
      })
  void otherReductionsStay(String reduce) {
    assertThat(entry(PARTS + reduce)).isEqualTo(lines(PARTS + reduce));
  }
}
