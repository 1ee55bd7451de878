package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import org.hlo4j.interpreter.reference.ReferenceOps;
import org.junit.jupiter.api.Test;

final class ConstantFoldingTest {
  private static String entry(String body) {
    return Rewrites.entry(new ConstantFolding(new ReferenceOps()), body);
  }

  @Test
  void scalars() {
    assertThat(
            entry(
                """
                two = f32[] constant(2)
                three = f32[] constant(3)
                six = f32[] multiply(two, three)
                ROOT r = f32[] sqrt(six)
                """))
        .isEqualTo("ROOT r = f32[] constant(2.44948983)\n");
  }

  @Test
  void arraysAndBroadcastsOfScalars() {
    assertThat(
            entry(
                """
                a = s32[3] constant({1, 2, 3})
                ten = s32[] constant(10)
                tens = s32[3] broadcast(ten), dimensions={}
                b = s32[3] add(a, tens)
                ROOT r = s32[2] slice(b), slice={[1:3]}
                """))
        .isEqualTo("ROOT r = s32[2] constant({12, 13})\n");
  }

  @Test
  void reductions() {
    assertThat(
            Rewrites.entry(
                new ConstantFolding(new ReferenceOps()),
                """
                add {
                  p = s32[] parameter(0)
                  q = s32[] parameter(1)
                  ROOT s = s32[] add(p, q)
                }
                """,
                """
                a = s32[3] constant({1, 2, 3})
                zero = s32[] constant(0)
                ROOT r = s32[] reduce(a, zero), dimensions={0}, to_apply=add
                """))
        .isEqualTo("ROOT r = s32[] constant(6)\n");
  }

  @Test
  void largeResultsAreNotFolded() {
    String body =
        """
        two = f32[] constant(2)
        twos = f32[1000] broadcast(two), dimensions={}
        numbers = f32[1000] iota(), iota_dimension=0
        ROOT r = f32[1000] add(twos, numbers)
        """;
    assertThat(entry(body)).isEqualTo(lines(body));
  }

  @Test
  void elidedConstantsAreNotFolded() {
    String body =
        """
        a = f32[20] constant({...})
        ROOT r = f32[20] negate(a)
        """;
    assertThat(entry(body)).isEqualTo(lines(body));
  }

  @Test
  void sideEffectsAreNotFolded() {
    String body =
        """
        low = f32[] constant(0)
        high = f32[] constant(1)
        ROOT r = f32[] rng(low, high), distribution=rng_uniform
        """;
    assertThat(entry(body)).isEqualTo(lines(body));
  }
}
