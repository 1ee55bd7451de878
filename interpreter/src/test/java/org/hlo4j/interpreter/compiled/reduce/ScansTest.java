package org.hlo4j.interpreter.compiled.reduce;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cumulative reductions: windows that cover all elements before each element, or after it. */
final class ScansTest {
  private static HloModule window(String shape, String window, String op, String initial) {
    String type = shape.substring(0, shape.indexOf('['));
    return Parser.parse(
        "HloModule m\n"
            + ReducePrograms.body(op, type)
            + "ENTRY e { x = "
            + shape
            + " parameter(0) i = "
            + type
            + "[] constant("
            + initial
            + ") ROOT y = "
            + shape
            + " reduce-window(x, i), window={"
            + window
            + "}, to_apply=body }");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[13]      | size=13 pad=12_0               | add      | 0",
        "f32[3,257]   | size=1x257 pad=0_0x256_0       | add      | 1",
        "f32[257,3]   | size=257x1 pad=256_0x0_0       | add      | 1",
        "f32[4,31,40] | size=1x31x1 pad=0_0x30_0x0_0   | add      | 0",
        "bf16[4,31,4] | size=1x31x1 pad=0_0x30_0x0_0   | add      | 0",
        "bf16[4,31]   | size=1x31 pad=0_0x30_0         | add      | 0",
        "f16[4,31]    | size=1x31 pad=0_0x30_0         | add      | 0",
        "f64[3,257]   | size=1x257 pad=0_0x256_0       | add      | 0",
        "f32[3,100]   | size=1x100 pad=0_0x99_0        | maximum  | -inf",
        "f32[3,100]   | size=1x100 pad=0_0x0_99        | maximum  | -inf",
        "f32[100,33]  | size=100x1 pad=0_99x0_0        | minimum  | 0",
        "s32[3,100]   | size=1x100 pad=0_0x0_99        | add      | 4",
        "s8[100,33]   | size=100x1 pad=0_99x0_0        | add      | 4",
        "u8[3,100]    | size=1x100 pad=0_0x99_0        | multiply | 3",
        "pred[3,100]  | size=1x100 pad=0_0x99_0        | or       | false",
        "f32[3,60]    | size=1x60 pad=0_0x59_0         | multiply | 2",
        "f32[3,60]    | size=1x60 pad=0_0x59_0         | subtract | 2",
      })
  void sameBits(String shape, String window, String op, String initial) {
    ReducePrograms.check(window(shape, window, op, initial), 1, 0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[3,257] | size=1x257 pad=0_0x0_256 | add | 1",
        "f32[257,3] | size=257x1 pad=0_256x0_0 | add | 1",
      })
  void sumsFromTheEndAreClose(String shape, String window, String op, String initial) {
    ReducePrograms.check(window(shape, window, op, initial), 1, 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[9,9] | size=9x9 pad=8_0x8_0        | add",
        "f32[9,9] | size=3x1 pad=1_1x0_0        | add",
        "f32[9,9] | size=9x1 pad=4_4x0_0        | add",
        "f32[9,9] | size=9x1 pad=0_8x0_0        | subtract",
      })
  void otherWindowsAreDeclined(String shape, String window, String op) {
    assertThat(
            ReduceKernels.scan(window(shape, window, op, "0").entry().root()).kernel().isPresent())
        .isFalse();
  }
}
