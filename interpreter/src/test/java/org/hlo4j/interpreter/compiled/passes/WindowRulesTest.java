package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pads that are merged into the windows of reduce-windows, and pads that are not. */
final class WindowRulesTest {
  private static HloModule module(String op, String init, String value, String pad, String window) {
    return Rewrites.module(
        """
        body {
          a = f32[] parameter(0)
          b = f32[] parameter(1)
          ROOT c = f32[] %s(a, b)
        }

        """
            .formatted(op),
        """
        x = f32[4,5] parameter(0)
        init = f32[] constant(%s)
        value = f32[] constant(%s)
        p = f32[%s] pad(x, value), padding=%s
        ROOT r = f32[%s] reduce-window(p, init), window={%s}, to_apply=body
        """
            .formatted(
                init,
                value,
                pad.split(" ", 2)[0],
                pad.split(" ", 2)[1],
                window.split(" ", 2)[0],
                window.split(" ", 2)[1]));
  }

  private static Literal input() {
    return Literal.of(
        new float[][] {
          {1, -2, 3, -4, 5}, {-0f, 0, 7, 8, -0f}, {9, Float.NaN, 1, 2, 3}, {4, 5, 6, -7, -0f}
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          add     | 0    | 0    | 9,5 1_1_1x0_0   | 8,5 size=2x1                       | size=2x1 pad=1_1x0_0 lhs_dilate=2x1
          add     | -0   | -0   | 4,8 0_0x1_2     | 3,7 size=2x2                       | size=2x2 pad=0_0x1_2
          maximum | -inf | -inf | 10,7 0_0_2x2_0  | 9,6 size=2x2                       | size=2x2 pad=0_0x2_0 lhs_dilate=3x1
          minimum | 3    | 3    | 6,5 2_0x0_0     | 6,5 size=2x1 pad=-1_2x0_0          | size=2x1 pad=1_2x0_0
          add     | 0    | 0    | 3,5 -1_0x0_0    | 1,5 size=2x1 stride=2x1 pad=-1_0x0_0 | size=2x1 stride=2x1 pad=-2_0x0_0
          """)
  void padsAreMerged(String op, String init, String value, String pad, String window, String want) {
    HloModule before = module(op, init, value, pad, window);
    String after = Printer.print(Pipelines.all().run(before).unfused());
    assertThat(after).contains("window={" + want + "}");
    assertThat(after).doesNotContain("padding=");
    assertThat(Interpreter.compiled().run(before, input()))
        .isEqualTo(Interpreter.reference().run(before, input()));
  }

  /**
   * Pads stay if their value changes the result, if they dilate the last dimension or cut elements
   * off that the window pads again, or if the window dilates.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          add      | 0 | 1 | 6,5 1_1x0_0    | 5,5 size=2x1
          add      | 1 | 1 | 6,5 1_1x0_0    | 5,5 size=2x1
          multiply | 0 | 0 | 6,5 1_1x0_0    | 5,5 size=2x1
          add      | 0 | 0 | 4,9 0_0x0_0_1  | 3,9 size=2x1
          add      | 0 | 0 | 3,5 -1_0x0_0   | 3,5 size=2x1 pad=1_0x0_0
          add      | 0 | 0 | 6,5 1_1x0_0    | 10,5 size=2x1 lhs_dilate=2x1
          """)
  void otherPadsStay(String op, String init, String value, String pad, String window) {
    HloModule before = module(op, init, value, pad, window);
    String after = Printer.print(Pipelines.all().run(before).unfused());
    assertThat(after).contains("padding=");
    assertThat(Interpreter.compiled().run(before, input()))
        .isEqualTo(Interpreter.reference().run(before, input()));
  }

  @Test
  void integerPadsAreMerged() {
    HloModule module =
        Rewrites.module(
            """
            body {
              a = s32[] parameter(0)
              b = s32[] parameter(1)
              ROOT c = s32[] add(a, b)
            }

            """,
            """
            x = s32[2,2] parameter(0)
            zero = s32[] constant(0)
            p = s32[5,2] pad(x, zero), padding=1_1_1x0_0
            ROOT r = s32[4,2] reduce-window(p, zero), window={size=2x1}, to_apply=body
            """);
    Literal x = Literal.of(new int[][] {{1, 2}, {3, 4}});
    assertThat(Rewrites.ops(Pipelines.all().run(module).unfused())).doesNotContain("pad");
    assertThat(Interpreter.compiled().run(module, x))
        .isEqualTo(Literal.of(new int[][] {{1, 2}, {1, 2}, {3, 4}, {3, 4}}));
  }
}
