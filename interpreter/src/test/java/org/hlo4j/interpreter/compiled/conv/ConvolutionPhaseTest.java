package org.hlo4j.interpreter.compiled.conv;

import static com.google.common.truth.Truth.assertThat;

import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConvolutionPhaseTest {
  /**
   * Columns: window, elements, taps and positions; then the positions, taps and elements of each
   * phase.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          size=2                                   | 4 | 2 | 3 | places 0 1 2, taps 0 1, from 0 by 1 and 1
          size=4 pad=2_2 lhs_dilate=2              | 3 | 4 | 6 | places 0 2 4, taps 0 2, from -1 by 1 and 1; places 1 3 5, taps 1 3, from 0 by 1 and 1
          size=3 pad=0_2 lhs_dilate=2              | 3 | 3 | 5 | places 0 2 4, taps 0 2, from 0 by 1 and 1; places 1 3, taps 1, from 1 by 1 and 1
          size=1 pad=0_1 lhs_dilate=2              | 2 | 1 | 4 | places 0 2, taps 0, from 0 by 1 and 1; places 1 3, no taps
          size=3 pad=1_1 lhs_dilate=2 stride=2     | 3 | 3 | 3 | places 0 1 2, taps 1, from 0 by 1 and 1
          size=3 lhs_dilate=2 stride=3 rhs_dilate=2| 8 | 3 | 4 | places 0 2, taps 0 1 2, from 0 by 3 and 1; places 1 3, no taps
          size=4 lhs_dilate=2 rhs_dilate=3         | 6 | 4 | 2 | places 0, taps 0 2, from 0 by 1 and 3; places 1, taps 1 3, from 2 by 1 and 3
          size=2 lhs_dilate=3 pad=1_1              | 1 | 2 | 2 | places 0, taps 1, from 0 by 1 and 1; places 1, taps 0, from 0 by 1 and 1
          """)
  void dilatedWindows(String window, long elements, long taps, long positions, String want) {
    Window parsed = window(window, elements, taps, positions);
    String got =
        ConvolutionPhase.along(parsed, 0, positions, false).stream()
            .map(ConvolutionPhaseTest::text)
            .collect(Collectors.joining("; "));
    assertThat(got).isEqualTo(want);
  }

  private static Window window(String window, long elements, long taps, long positions) {
    String hlo =
        """
        HloModule m
        ENTRY e {
          a = f32[1,%d,1] parameter(0)
          b = f32[%d,1,1] parameter(1)
          ROOT c = f32[1,%d,1] convolution(a, b), window={%s}, dim_labels=b0f_0io->b0f
        }
        """
            .formatted(elements, taps, positions, window);
    HloInstruction root = Parser.parse(hlo).entry().root();
    return ((Convolution) root.op()).window();
  }

  private static String text(ConvolutionPhase phase) {
    String met =
        "taps %s, from %d by %d and %d"
            .formatted(
                sequence(phase.firstTap(), phase.tapStride(), phase.tapCount()),
                phase.start(),
                phase.stride(),
                phase.dilation());
    return "places "
        + sequence(phase.firstPosition(), phase.positionStride(), phase.positionCount())
        + ", "
        + (phase.tapCount() == 0 ? "no taps" : met);
  }

  private static String sequence(long first, long stride, long count) {
    return LongStream.range(0, count)
        .mapToObj(i -> Long.toString(first + i * stride))
        .collect(Collectors.joining(" "));
  }

  /** With a zero before and after the kernel, even positions read taps 1 3 5 and odd ones 0 2 4. */
  @Test
  void neighbouringPositionsAreCombined() {
    Window window = window("size=4 pad=2_2 lhs_dilate=2", 3, 4, 6);
    assertThat(ConvolutionPhase.along(window, 0, 6, true))
        .containsExactly(new ConvolutionPhase(0, 2, 3, 0, 2, 3, -1, 1, 1, 2, 1, 1, 1));
    assertThat(ConvolutionPhase.canCombine(window, 0, 5)).isFalse();
  }
}
