package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import org.junit.jupiter.api.Test;

/** Fusions that contain reductions. */
final class FusingReductionsTest {
  private static final String REDUCTIONS =
      """
      add {
        p = f32[] parameter(0)
        q = f32[] parameter(1)
        ROOT s = f32[] add(p, q)
      }

      most {
        m = f32[] parameter(0)
        n = f32[] parameter(1)
        ROOT t = f32[] maximum(m, n)
      }

      """;

  private static String entry(String body) {
    return Rewrites.entry(new Fusing(ExpectedGenerators.all()), REDUCTIONS, body);
  }

  @Test
  void reductionsOfOneOperandAreFused() {
    assertThat(
            entry(
                """
                x = f32[8,100] parameter(0)
                zero = f32[] constant(0)
                sum = f32[8] reduce(x, zero), dimensions={1}, to_apply=add
                square = f32[8,100] multiply(x, x)
                squares = f32[8] reduce(square, zero), dimensions={1}, to_apply=add
                ROOT r = (f32[8], f32[8]) tuple(sum, squares)
                """))
        .contains("(f32[8], f32[8]) fusion(x), kind=kInput, calls=fused_computation\n");
  }

  private static final String SOFTMAX =
      """
      x = f32[8,100] parameter(0)
      zero = f32[] constant(0)
      least = f32[] constant(-inf)
      top = f32[8] reduce(x, least), dimensions={1}, to_apply=most
      tops = f32[8,100] broadcast(top), dimensions={0}
      below = f32[8,100] subtract(x, tops)
      power = f32[8,100] exponential(below)
      sum = f32[8] reduce(power, zero), dimensions={1}, to_apply=add
      sums = f32[8,100] broadcast(sum), dimensions={0}
      """;

  @Test
  void softmaxIsOneFusion() {
    assertThat(entry(SOFTMAX + "ROOT r = f32[8,100] divide(power, sums)\n"))
        .isEqualTo(
            lines(
                """
                x = f32[8,100] parameter(0)
                ROOT divide_fusion = f32[8,100] fusion(x), kind=kInput, calls=fused_computation
                """));
  }

  @Test
  void softmaxBeforeATransposeIsOneFusion() {
    assertThat(
            entry(
                SOFTMAX
                    + """
                    d = f32[8,100] divide(power, sums)
                    t = f32[100,8] transpose(d), dimensions={1,0}
                    ROOT n = f32[100,8] negate(t)
                    """))
        .isEqualTo(
            lines(
                """
                x = f32[8,100] parameter(0)
                divide_fusion = f32[8,100] fusion(x), kind=kInput, calls=fused_computation
                ROOT negate_fusion = f32[100,8] fusion(divide_fusion), kind=kLoop, calls=fused_computation.1
                """));
  }

  @Test
  void slicesAreNotFusedIntoRowReductions() {
    assertThat(
            entry(
                SOFTMAX
                    + """
                    y = f32[8,200] parameter(1)
                    half = f32[8,100] slice(y), slice={[0:8], [0:100]}
                    d = f32[8,100] divide(power, sums)
                    ROOT n = f32[8,100] multiply(d, half)
                    """))
        .isEqualTo(
            lines(
                """
                x = f32[8,100] parameter(0)
                y = f32[8,200] parameter(1)
                half = f32[8,100] slice(y), slice={[0:8], [0:100]}
                ROOT multiply_fusion = f32[8,100] fusion(x, half), kind=kInput, calls=fused_computation
                """));
  }

  @Test
  void epilogueOfARowReductionIsFused() {
    assertThat(
            entry(
                """
                x = f32[8,100] parameter(0)
                zero = f32[] constant(0)
                e = f32[8,100] exponential(x)
                sum = f32[8] reduce(e, zero), dimensions={1}, to_apply=add
                ROOT l = f32[8] log(sum)
                """))
        .isEqualTo(
            lines(
                """
                x = f32[8,100] parameter(0)
                ROOT log_fusion = f32[8] fusion(x), kind=kInput, calls=fused_computation
                """));
  }

  @Test
  void prologueOfAColumnReductionIsFused() {
    assertThat(
            entry(
                """
                x = f32[8,100] parameter(0)
                zero = f32[] constant(0)
                e = f32[8,100] exponential(x)
                sum = f32[100] reduce(e, zero), dimensions={0}, to_apply=add
                ROOT l = f32[100] log(sum)
                """))
        .isEqualTo(
            lines(
                """
                x = f32[8,100] parameter(0)
                reduce_fusion = f32[100] fusion(x), kind=kInput, calls=fused_computation
                ROOT l = f32[100] log(reduce_fusion)
                """));
  }

  @Test
  void variadicReductionReturnsEachResult() {
    assertThat(
            Rewrites.text(
                new Fusing(ExpectedGenerators.all()),
                """
                first {
                  a = f32[] parameter(0)
                  i = s32[] parameter(1)
                  b = f32[] parameter(2)
                  j = s32[] parameter(3)
                  c = pred[] compare(a, b), direction=GE
                  d = f32[] select(c, a, b)
                  k = s32[] select(c, i, j)
                  ROOT r = (f32[], s32[]) tuple(d, k)
                }
                """,
                """
                x = f32[8,100] parameter(0)
                n = s32[8,100] iota(), iota_dimension=1
                zero = s32[] constant(0)
                least = f32[] constant(-inf)
                ROOT m = (f32[8], s32[8]) reduce(x, n, least, zero), dimensions={1}, to_apply=first
                """))
        .endsWith(
            """
            fused_computation {
              param_0 = f32[8,100] parameter(0)
              least.1 = f32[] constant(-inf)
              zero.1 = s32[] constant(0)
              n = s32[8,100] iota(), iota_dimension=1
              m = (f32[8], s32[8]) reduce(param_0, n, least.1, zero.1), dimensions={1}, to_apply=first
              get-tuple-element = f32[8] get-tuple-element(m), index=0
              get-tuple-element.1 = s32[8] get-tuple-element(m), index=1
              ROOT tuple = (f32[8], s32[8]) tuple(get-tuple-element, get-tuple-element.1)
            }

            ENTRY entry {
              x = f32[8,100] parameter(0)
              ROOT reduce_fusion = (f32[8], s32[8]) fusion(x), kind=kInput, calls=fused_computation
            }
            """);
  }
}
