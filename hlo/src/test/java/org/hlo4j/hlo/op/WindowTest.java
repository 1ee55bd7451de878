package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.junit.jupiter.api.Test;

class WindowTest {
  private static void text(String want, Window window) {
    assertThat(window.toString()).isEqualTo(want);
    assertThat(Window.parse(want)).isEqualTo(window);
  }

  @Test
  void textOmitsDefaults() {
    text("{}", Window.of());
    text("{size=1}", Window.of(1));
    text("{size=3x3}", Window.of(3, 3));
    text("{size=3x3 stride=2x1}", Window.of(3, 3).withStrides(2, 1));
    text("{size=3x3 pad=0_1x-1_0}", Window.of(3, 3).withPadding(Dims.of(0, -1), Dims.of(1, 0)));
    text("{size=3 lhs_dilate=2}", Window.of(3).withBaseDilation(2));
    text("{size=3x3 rhs_dilate=1x2}", Window.of(3, 3).withWindowDilation(1, 2));
    text("{size=3x3 rhs_reversal=0x1}", Window.of(3, 3).withReversal(false, true));
    text(
        "{size=3 stride=2 pad=1_2 lhs_dilate=3 rhs_dilate=4 rhs_reversal=1}",
        Window.of(3)
            .withStrides(2)
            .withPadding(Dims.of(1), Dims.of(2))
            .withBaseDilation(3)
            .withWindowDilation(4)
            .withReversal(true));
  }

  private static String refusal(String text) {
    return assertThrows(HloException.class, () -> Window.parse(text)).summary();
  }

  @Test
  void malformedTextIsRefused() {
    assertThat(refusal("{size=3 strid=2}"))
        .isEqualTo(
            "window: got strid=2, want one of [size, stride, pad, lhs_dilate, rhs_dilate,"
                + " rhs_reversal] followed by =");
    assertThat(refusal("{size=3xq}"))
        .isEqualTo("window: got {size=3xq}, want numbers, such as size=3x3");
    assertThat(refusal("{size=3 stride=2x2}"))
        .isEqualTo("window: strides got 2 values, want 1, one for each of the sizes (3)");
    assertThat(refusal("{size=3 pad=1}")).isEqualTo("window: pad got 1, want low_high for each");
  }

  @Test
  void outputSizes() {
    assertThat(Window.of(2).outputSize(0, 5)).isEqualTo(4);
    assertThat(Window.of(2).withStrides(2).outputSize(0, 5)).isEqualTo(2);
    assertThat(Window.of(5).outputSize(0, 5)).isEqualTo(1);
    assertThat(Window.of(6).outputSize(0, 5)).isEqualTo(0);
    assertThat(Window.of(1).outputSize(0, 0)).isEqualTo(0);
    assertThat(Window.of(2).withBaseDilation(3).outputSize(0, 3)).isEqualTo(6);
    assertThat(Window.of(2).withBaseDilation(3).outputSize(0, 0)).isEqualTo(0);
    assertThat(Window.of(3).withWindowDilation(2).outputSize(0, 5)).isEqualTo(1);
    assertThat(Window.of(2).withPadding(Dims.of(1), Dims.of(2)).outputSize(0, 5)).isEqualTo(7);
    assertThat(Window.of(2).withPadding(Dims.of(-2), Dims.of(0)).outputSize(0, 5)).isEqualTo(2);
    assertThat(Window.of(1).withPadding(Dims.of(-3), Dims.of(-3)).outputSize(0, 5)).isEqualTo(0);
  }

  @Test
  void overflowingSizesAreRefused() {
    Window wide = Window.of(2).withBaseDilation(Long.MAX_VALUE);
    assertThat(assertThrows(HloException.class, () -> wide.outputSize(0, 3)))
        .hasMessageThat()
        .isEqualTo(
            "window of dimension 0 on a base of 3 got beyond 2^63 - 1, want less: {size=2"
                + " lhs_dilate=9223372036854775807}");
  }

  private static Dims same(Window window, long base) {
    Window padded = window.withSamePadding(Dims.of(base));
    return padded.paddingLow().concat(padded.paddingHigh());
  }

  @Test
  void samePaddingMatchesXla() {
    assertThat(same(Window.of(3), 5)).isEqualTo(Dims.of(1, 1));
    assertThat(same(Window.of(2), 5)).isEqualTo(Dims.of(0, 1));
    assertThat(same(Window.of(2).withStrides(2), 5)).isEqualTo(Dims.of(0, 1));
    assertThat(same(Window.of(2).withStrides(2), 4)).isEqualTo(Dims.of(0, 0));
    assertThat(same(Window.of(1).withStrides(3), 5)).isEqualTo(Dims.of(0, 0));
    assertThat(same(Window.of(3).withWindowDilation(2), 5)).isEqualTo(Dims.of(2, 2));
    assertThat(Window.of(3).withSamePadding(Dims.of(5)).withValidPadding()).isEqualTo(Window.of(3));
  }

  @Test
  void countsMustAgree() {
    assertThat(assertThrows(HloException.class, () -> Window.of(2, 2).withStrides(1)))
        .hasMessageThat()
        .isEqualTo("window: strides got 1 values, want 2, one for each of the sizes (2, 2)");
    assertThat(assertThrows(HloException.class, () -> Window.of(2).withSamePadding(Dims.of())))
        .hasMessageThat()
        .isEqualTo("window: base got 0 values, want 1, one for each of the sizes (2)");
  }

  @Test
  void explainDrawsTheWindow() {
    Window window =
        Window.of(2)
            .withStrides(2)
            .withPadding(Dims.of(1), Dims.of(0))
            .withBaseDilation(2)
            .withWindowDilation(2);
    assertThat(window.explain())
        .isEqualTo(
            """
            dimension 0: 2 elements, every 2, padding 1 before and 0 behind, base spread by 2, window spread by 2
               p  0  .  1  .  2  .
               ^     ^
                     ^     ^
                           ^     ^
            """);
    assertThat(Window.of(1000).explain())
        .isEqualTo("dimension 0: 1000 elements, every 1, padding 0 before and 0 behind\n");
    assertThat(Window.of().explain()).isEmpty();
  }
}
