package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import org.junit.jupiter.api.Test;

final class InliningTest {
  private static String entry(String computations, String body) {
    return Rewrites.entry(new Inlining(), computations, body);
  }

  @Test
  void callsAreInlined() {
    assertThat(
            entry(
                """
                twice {
                  y = f32[2] parameter(0)
                  ROOT sum = f32[2] add(y, y)
                }
                """,
                """
                x = f32[2] parameter(0)
                a = f32[2] call(x), to_apply=twice
                ROOT b = f32[2] call(a), to_apply=twice
                """))
        .isEqualTo(
            lines(
                """
                x = f32[2] parameter(0)
                sum.1 = f32[2] add(x, x)
                ROOT sum.2 = f32[2] add(sum.1, sum.1)
                """));
  }

  @Test
  void fusionsAreInlined() {
    assertThat(
            entry(
                """
                fused {
                  p0 = f32[2] parameter(0)
                  p1 = f32[2] parameter(1)
                  ROOT difference = f32[2] subtract(p1, p0)
                }
                """,
                """
                x = f32[2] parameter(0)
                y = f32[2] parameter(1)
                ROOT fusion = f32[2] fusion(x, y), kind=kLoop, calls=fused
                """))
        .isEqualTo(
            lines(
                """
                x = f32[2] parameter(0)
                y = f32[2] parameter(1)
                ROOT difference.1 = f32[2] subtract(y, x)
                """));
  }

  @Test
  void nestedCallsAreInlined() {
    assertThat(
            entry(
                """
                inner {
                  y = f32[2] parameter(0)
                  ROOT minus = f32[2] negate(y)
                }

                outer {
                  z = f32[2] parameter(0)
                  ROOT deep = f32[2] call(z), to_apply=inner
                }
                """,
                """
                x = f32[2] parameter(0)
                ROOT a = f32[2] call(x), to_apply=outer
                """))
        .isEqualTo("x = f32[2] parameter(0)\nROOT minus.2 = f32[2] negate(x)\n");
  }

  private static final String BRANCHES =
      """
      first {
        p = f32[] parameter(0)
        ROOT minus = f32[] negate(p)
      }

      second {
        q = f32[] parameter(0)
        ROOT root = f32[] sqrt(q)
      }
      """;

  @Test
  void conditionalWithConstantIndex() {
    assertThat(
            entry(
                BRANCHES,
                """
                index = s32[] constant(-7)
                x = f32[] parameter(0)
                y = f32[] parameter(1)
                ROOT c = f32[] conditional(index, x, y), branch_computations={first, second}
                """))
        .isEqualTo("x = f32[] parameter(0)\ny = f32[] parameter(1)\nROOT root.1 = f32[] sqrt(y)\n");
  }

  @Test
  void conditionalWithConstantPredicate() {
    assertThat(
            entry(
                BRANCHES,
                """
                yes = pred[] constant(true)
                x = f32[] parameter(0)
                y = f32[] parameter(1)
                ROOT c = f32[] conditional(yes, x, y), true_computation=first, false_computation=second
                """))
        .isEqualTo(
            "x = f32[] parameter(0)\ny = f32[] parameter(1)\nROOT minus.1 = f32[] negate(x)\n");
  }

  @Test
  void loopThatIsNeverEnteredIsRemoved() {
    assertThat(
            entry(
                """
                never {
                  s = f32[] parameter(0)
                  ROOT no = pred[] constant(false)
                }

                body {
                  t = f32[] parameter(0)
                  ROOT u = f32[] add(t, t)
                }
                """,
                """
                x = f32[] parameter(0)
                start = f32[] negate(x)
                ROOT w = f32[] while(start), condition=never, body=body
                """))
        .isEqualTo("x = f32[] parameter(0)\nROOT start = f32[] negate(x)\n");
  }

  @Test
  void loopWhoseConditionHasSideEffectsStays() {
    String body =
        """
        x = f32[] parameter(0)
        ROOT w = f32[] while(x), condition=never, body=body
        """;
    assertThat(
            entry(
                """
                never {
                  s = f32[] parameter(0)
                  token = token[] after-all()
                  out = token[] outfeed(s, token), outfeed_shape=f32[]
                  ROOT no = pred[] constant(false)
                }

                body {
                  t = f32[] parameter(0)
                  ROOT u = f32[] add(t, t)
                }
                """,
                body))
        .isEqualTo(lines(body));
  }

  @Test
  void copiesAndBarriersAreDropped() {
    assertThat(
            entry(
                "",
                """
                x = f32[2] parameter(0)
                pair = (f32[2], f32[2]) tuple(x, x)
                barrier = (f32[2], f32[2]) opt-barrier(pair)
                part = f32[2] get-tuple-element(barrier), index=1
                ROOT result = f32[2] copy(part)
                """))
        .isEqualTo(
            lines(
                """
                ROOT x = f32[2] parameter(0)
                """));
  }

  @Test
  void bitcastToAnotherLayoutIsATranspose() {
    assertThat(
            entry(
                "",
                """
                x = f32[2,3]{0,1} parameter(0)
                ROOT b = f32[3,2]{1,0} bitcast(x)
                """))
        .isEqualTo(
            lines(
                """
                x = f32[2,3] parameter(0)
                ROOT transpose = f32[3,2] transpose(x), dimensions={1,0}
                """));
  }

  @Test
  void bitcastOfACopyInAnotherLayout() {
    assertThat(
            entry(
                "",
                """
                x = f32[2,3]{1,0} parameter(0)
                turned = f32[2,3]{0,1} copy(x)
                ROOT b = f32[6]{0} bitcast(turned)
                """))
        .isEqualTo(
            lines(
                """
                x = f32[2,3] parameter(0)
                transpose = f32[3,2] transpose(x), dimensions={1,0}
                ROOT reshape = f32[6] reshape(transpose)
                """));
  }

  @Test
  void bitcastToAnotherTypeReadsRowMajorArrays() {
    assertThat(
            entry(
                "",
                """
                x = f32[2,3]{0,1} parameter(0)
                ROOT b = s32[2,3]{0,1} bitcast(x)
                """))
        .isEqualTo(
            lines(
                """
                x = f32[2,3] parameter(0)
                transpose = f32[3,2] transpose(x), dimensions={1,0}
                bitcast = s32[3,2] bitcast(transpose)
                ROOT transpose.1 = s32[2,3] transpose(bitcast), dimensions={1,0}
                """));
  }

  @Test
  void reducersAreUnchanged() {
    String add =
        """
        add {
          p = f32[] parameter(0)
          q = f32[] parameter(1)
          c = f32[] copy(q)
          ROOT s = f32[] add(p, c)
        }
        """;
    assertThat(
            Rewrites.text(
                new Inlining(),
                add,
                """
                x = f32[2] parameter(0)
                zero = f32[] constant(0)
                sum = f32[] reduce(x, zero), dimensions={0}, to_apply=add
                ROOT more = f32[] call(sum, zero), to_apply=add
                """))
        .isEqualTo(
            """
            add {
              p = f32[] parameter(0)
              q = f32[] parameter(1)
              c = f32[] copy(q)
              ROOT s = f32[] add(p, c)
            }

            ENTRY entry {
              x = f32[2] parameter(0)
              zero = f32[] constant(0)
              sum = f32[] reduce(x, zero), dimensions={0}, to_apply=add
              ROOT s.2 = f32[] add(sum, zero)
            }
            """);
  }

  @Test
  void dynamicSizesAreUnchanged() {
    String body =
        """
        x = f32[<=4] parameter(0)
        ROOT c = f32[<=4] copy(x)
        """;
    assertThat(entry("", body)).isEqualTo(lines(body));
  }
}
