package org.hlo4j.interpreter.compiled.lanes;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;

/** Bodies of sorts, scatters and folds as generated methods. */
final class ScalarBodiesTest {
  private static HloComputation called(String text) {
    return Parser.parse(text).entry().root().called().get(0);
  }

  @Test
  void comparator() {
    HloComputation comparator =
        called(
            """
            HloModule sort

            greater_then_first {
              a = f32[] parameter(0)
              b = f32[] parameter(1)
              i = s16[] parameter(2)
              j = s16[] parameter(3)
              greater = pred[] compare(a, b), direction=GT
              same = pred[] compare(a, b), direction=EQ
              first = pred[] compare(i, j), direction=LT
              tie = pred[] and(same, first)
              ROOT r = pred[] or(greater, tie)
            }

            ENTRY main {
              x = f32[4] parameter(0)
              i = s16[4] parameter(1)
              ROOT r = (f32[4], s16[4]) sort(x, i), dimensions={0}, to_apply=greater_then_first
            }
            """);
    ScalarBodies.Comparison comparison = ScalarBodies.comparison(comparator).orElseThrow();
    Object[] arrays = {new float[] {1, 2, 2, Float.NaN}, new short[] {5, 4, -3, 2}};
    assertThat(comparison.compares(arrays, 1, 0)).isTrue();
    assertThat(comparison.compares(arrays, 0, 1)).isFalse();
    assertThat(comparison.compares(arrays, 1, 2)).isFalse();
    assertThat(comparison.compares(arrays, 2, 1)).isTrue();
    assertThat(comparison.compares(arrays, 3, 3)).isFalse();
  }

  @Test
  void bodyOfAFoldOfPairs() {
    HloComputation body =
        called(
            """
            HloModule argmax

            greater {
              a = f64[] parameter(0)
              i = u8[] parameter(1)
              b = f64[] parameter(2)
              j = u8[] parameter(3)
              keep = pred[] compare(a, b), direction=GE
              value = f64[] select(keep, a, b)
              at = u8[] select(keep, i, j)
              ROOT r = (f64[], u8[]) tuple(value, at)
            }

            ENTRY main {
              x = f64[4] parameter(0)
              i = u8[4] parameter(1)
              a = f64[] constant(0)
              z = u8[] constant(0)
              ROOT r = (f64[], u8[]) reduce(x, i, a, z), dimensions={0}, to_apply=greater
            }
            """);
    ScalarBodies.Combination combination = ScalarBodies.combination(body).orElseThrow();
    double[] most = {0, 2.5};
    byte[] where = {0, 7};
    Object[] to = {most, where};
    Object[] from = {new double[] {2, 3, 1}, new byte[] {1, -1, 3}};
    for (int i = 0; i < 3; i++) {
      combination.combine(to, 1, from, i);
    }
    assertThat(most).usingExactEquality().containsExactly(0, 3).inOrder();
    assertThat(where).isEqualTo(new byte[] {0, -1});
  }

  @Test
  void loopsAreLeft() {
    HloComputation body =
        called(
            """
            HloModule loop

            always {
              x = s32[] parameter(0)
              ROOT more = pred[] constant(true)
            }

            same {
              ROOT x = s32[] parameter(0)
            }

            body {
              x = s32[] parameter(0)
              y = s32[] parameter(1)
              ROOT z = s32[] while(x), condition=always, body=same
            }

            ENTRY main {
              x = s32[4] parameter(0)
              zero = s32[] constant(0)
              ROOT r = s32[] reduce(x, zero), dimensions={0}, to_apply=body
            }
            """);
    assertThat(ScalarBodies.combination(body).isPresent()).isFalse();
  }
}
