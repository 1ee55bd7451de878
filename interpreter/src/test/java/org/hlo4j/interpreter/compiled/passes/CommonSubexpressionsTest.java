package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import org.junit.jupiter.api.Test;

final class CommonSubexpressionsTest {
  private static String entry(String computations, String body) {
    return Rewrites.entry(new CommonSubexpressions(), computations, body);
  }

  @Test
  void equalInstructionsAreComputedOnce() {
    assertThat(
            entry(
                "",
                """
                x = f32[2] parameter(0)
                one = f32[2] constant({1, 2})
                a = f32[2] add(x, one)
                other = f32[2] constant({1, 2})
                b = f32[2] add(x, other)
                ROOT r = f32[2] multiply(a, b)
                """))
        .isEqualTo(
            lines(
                """
                x = f32[2] parameter(0)
                one = f32[2] constant({1, 2})
                a = f32[2] add(x, one)
                ROOT r = f32[2] multiply(a, a)
                """));
  }

  @Test
  void identicalComputationsAreEqual() {
    assertThat(
            entry(
                """
                add {
                  p = f32[] parameter(0)
                  q = f32[] parameter(1)
                  ROOT s = f32[] add(p, q)
                }

                plus {
                  m = f32[] parameter(0)
                  n = f32[] parameter(1)
                  ROOT t = f32[] add(m, n)
                }

                reversed {
                  k = f32[] parameter(0)
                  l = f32[] parameter(1)
                  ROOT u = f32[] add(l, k)
                }
                """,
                """
                x = f32[2] parameter(0)
                zero = f32[] constant(0)
                a = f32[] reduce(x, zero), dimensions={0}, to_apply=add
                b = f32[] reduce(x, zero), dimensions={0}, to_apply=plus
                c = f32[] reduce(x, zero), dimensions={0}, to_apply=reversed
                ROOT r = (f32[], f32[], f32[]) tuple(a, b, c)
                """))
        .isEqualTo(
            lines(
                """
                x = f32[2] parameter(0)
                zero = f32[] constant(0)
                a = f32[] reduce(x, zero), dimensions={0}, to_apply=add
                c = f32[] reduce(x, zero), dimensions={0}, to_apply=reversed
                ROOT r = (f32[], f32[], f32[]) tuple(a, a, c)
                """));
  }

  @Test
  void differentNansAndZerosAreNotMerged() {
    String body =
        """
        a = f32[] constant(nan)
        b = f32[] constant(nan(0x400001))
        c = f32[] constant(0)
        d = f32[] constant(-0.0)
        ROOT r = (f32[], f32[], f32[], f32[]) tuple(a, b, c, d)
        """;
    assertThat(entry("", body)).isEqualTo(lines(body));
  }

  @Test
  void reductionsWithDifferentNansAreNotMerged() {
    String first =
        """
        f {
          k = f32[] parameter(0)
          l = f32[] parameter(1)
          t = (f32[], f32[]) constant((nan, 1))
          n = f32[] get-tuple-element(t), index=0
          p = pred[] compare(k, l), direction=LT
          ROOT v = f32[] select(p, n, l)
        }
        """;
    String second = first.replace("f {", "g {").replace("nan", "nan(0x400001)");
    String body =
        """
        x = f32[4] parameter(0)
        zero = f32[] constant(0)
        a = f32[] reduce(x, zero), dimensions={0}, to_apply=f
        b = f32[] reduce(x, zero), dimensions={0}, to_apply=g
        ROOT r = (f32[], f32[]) tuple(a, b)
        """;
    assertThat(entry(first + second, body)).isEqualTo(lines(body));
  }

  @Test
  void randomNumbersAreNotMerged() {
    String body =
        """
        low = f32[] constant(0)
        high = f32[] constant(1)
        a = f32[] rng(low, high), distribution=rng_uniform
        b = f32[] rng(low, high), distribution=rng_uniform
        ROOT r = f32[] subtract(a, b)
        """;
    assertThat(entry("", body)).isEqualTo(lines(body));
  }
}
