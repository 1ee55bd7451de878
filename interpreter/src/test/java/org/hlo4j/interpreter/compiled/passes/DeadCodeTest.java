package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import org.junit.jupiter.api.Test;

final class DeadCodeTest {
  private static String entry(String computations, String body) {
    return Rewrites.entry(new DeadCode(), computations, body);
  }

  @Test
  void unusedInstructionsAreRemoved() {
    assertThat(
            entry(
                "",
                """
                x = f32[2] parameter(0)
                unused = f32[2] parameter(1)
                a = f32[2] negate(x)
                b = f32[2] add(a, unused)
                ROOT r = f32[2] sqrt(x)
                """))
        .isEqualTo(
            lines(
                """
                x = f32[2] parameter(0)
                unused = f32[2] parameter(1)
                ROOT r = f32[2] sqrt(x)
                """));
  }

  @Test
  void sideEffectsStayInOrder() {
    String body =
        """
        x = f32[2] parameter(0)
        low = f32[] constant(0)
        high = f32[] constant(1)
        first = f32[2] rng(low, high), distribution=rng_uniform
        token = token[] after-all()
        out = token[] outfeed(x, token), outfeed_shape=f32[2]{0}
        state = u64[2] rng-get-and-update-state(), delta=1
        custom = f32[2] custom-call(x), custom_call_target="mine"
        ROOT r = f32[2] rng(low, high), distribution=rng_uniform
        """;
    assertThat(entry("", body)).isEqualTo(lines(body));
  }

  @Test
  void loopsWithSideEffectsStay() {
    String computations =
        """
        again {
          s = f32[] parameter(0)
          limit = f32[] constant(3)
          ROOT more = pred[] compare(s, limit), direction=LT
        }

        body {
          t = f32[] parameter(0)
          token = token[] after-all()
          out = token[] outfeed(t, token), outfeed_shape=f32[]
          ROOT u = f32[] add(t, t)
        }

        pure {
          p = f32[] parameter(0)
          ROOT q = f32[] add(p, p)
        }
        """;
    assertThat(
            entry(
                computations,
                """
                x = f32[] parameter(0)
                heard = f32[] while(x), condition=again, body=body
                silent = f32[] while(x), condition=again, body=pure
                ROOT r = f32[] negate(x)
                """))
        .isEqualTo(
            lines(
                """
                x = f32[] parameter(0)
                heard = f32[] while(x), condition=again, body=body
                ROOT r = f32[] negate(x)
                """));
  }

  @Test
  void instructionsThatCheckDynamicSizesStay() {
    String body =
        """
        x = f32[<=4] parameter(0)
        y = f32[<=4] parameter(1)
        sum = f32[<=4] add(x, y)
        ROOT r = f32[<=4] negate(x)
        """;
    assertThat(entry("", body)).isEqualTo(lines(body));
  }
}
