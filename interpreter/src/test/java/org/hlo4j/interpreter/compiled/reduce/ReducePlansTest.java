package org.hlo4j.interpreter.compiled.reduce;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.expr.Reducer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The plans of reductions, as {@code explain} prints them, beside each size where a form begins or
 * ends. A plan is a function of sizes, types and operations alone.
 */
final class ReducePlansTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[7,7]     | 1   | add      | rows 7x7, each in one loop
          f32[8,7]     | 1   | add      | rows 8x7 one per lane, blocks of 8, passes 1
          f32[64,23]   | 1   | add      | rows 64x23 one per lane, blocks of 64, passes 1
          f32[64,24]   | 1   | add      | rows 64x24 contiguous, blocks of 64, passes 1
          f32[64,4,6]  | 1,2 | add      | rows 64x24 contiguous, blocks of 64, passes 1
          f32[3,24]    | 1   | add      | rows 3x24 contiguous, blocks of 3, passes 1
          f32[64]      | 0   | add      | rows 1x64 contiguous, blocks of 1, passes 1
          f32[3,15360] | 1   | add      | rows 3x15360 contiguous, blocks of 1, passes 1
          f32[3,15361] | 1   | add      | rows 3x15361 contiguous, blocks of 1, parts 2, passes 1
          f32[4,64,6]  | 0,2 | add      | rows 64x24, passes 1
          f32[4,64,24] | 0,2 | add      | rows 64x96 contiguous, blocks of 1, parts 4, passes 1
          f32[64,24]   | 1   | maximum  | rows 64x24 contiguous, blocks of 64, passes 1
          bf16[64,23]  | 1   | add      | rows 64x23 one per lane, blocks of 64, passes 1
          f64[64,24]   | 1   | add      | rows 64x24 contiguous, blocks of 64, passes 1
          s32[64,63]   | 1   | add      | rows 64x63 one per lane, blocks of 64, passes 1
          s32[64,64]   | 1   | add      | rows 64x64 contiguous, blocks of 64, passes 1
          f32[7,24]    | 1   | multiply | rows 7x24, each in one loop
          f32[64,256]  | 1   | multiply | rows 64x256 one per lane, blocks of 16, passes 1
          f32[64,257]  | 1   | multiply | rows 64x257, passes 1
          f32[7,257]   | 1   | multiply | rows 7x257, passes 1
          f32[24,64]   | 0   | add      | columns 1x24x64, passes 1
          f32[4,24,64] | 1   | add      | columns 4x24x64, passes 1
          f32[300,8]   | 0   | add      | columns 1x300x8, passes 1
          f32[300,9]   | 0   | add      | columns 1x300x9, passes 1
          bf16[300,8]  | 0   | add      | columns 1x300x8, passes 1
          f16[300,8]   | 0   | add      | columns 1x300x8, passes 1
          f64[300,8]   | 0   | add      | columns 1x300x8, passes 1
          f32[300,7]   | 0   | add      | columns 1x300x7, passes 1
          f32[24,1024] | 0   | add      | columns 1x24x1024, passes 1
          f32[24,1025] | 0   | add      | columns 1x24x1025, blocks of 1024, passes 1
          f32[8192,64] | 0   | add      | columns 1x8192x64, passes 1
          f32[8193,64] | 0   | add      | columns 1x8193x64, parts 2, passes 1
          f64[8193,64] | 0   | maximum  | columns 1x8193x64, parts 2, passes 1
          s32[8193,64] | 0   | add      | columns 1x8193x64, parts 2, passes 1
          f32[8193,64] | 0   | multiply | columns 1x8193x64, passes 1
          f32[8193,15] | 0   | maximum  | columns 1x8193x15, passes 1
          f32[8193,16] | 0   | maximum  | columns 1x8193x16, parts 2, passes 1
          """)
  void planOfReduction(String operand, String reduced, String op, String plan) {
    assertThat(ReducePrograms.kernel(ReducePrograms.reduce(operand, reduced, op, "1")).describe())
        .isEqualTo("reduce " + plan);
  }

  /** Whole rows of what is computed are in progress, unless threads had too few of them. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          31,4096 | columns 1x31x4096, passes 1
          32,4096 | columns 1x32x4096, blocks of 1024, passes 1
          32,1024 | columns 1x32x1024, passes 1
          16,8192 | columns 1x16x8192, blocks of 1024, passes 1
          8,16384 | columns 1x8x16384, blocks of 4096, passes 1
          """)
  void planOfComputedColumns(String sizes, String plan) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
            fused { x = f32[R,C] parameter(0) z = f32[] constant(0) y = f32[R,C] exponential(x)
              ROOT r = f32[C] reduce(y, z), dimensions={0}, to_apply=sum }
            ENTRY e { x = f32[R,C] parameter(0) ROOT r = f32[C] fusion(x), kind=kInput, calls=fused }
            """
                .replace("R,C", sizes)
                .replace("[C]", "[" + sizes.substring(sizes.indexOf(',') + 1) + "]"));
    assertThat(ReducePrograms.kernel(module).describe())
        .isEqualTo("reduce " + plan + ", computing f32[" + sizes + "] in 1 parts");
  }

  /** 64 accumulators of f32 fit a method; where they do not, there is a kernel all the same. */
  @ParameterizedTest
  @CsvSource({"f32, true", "f64, true", "bf16, false"})
  void accumulatorsInRegisters(String type, boolean fit) {
    HloInstruction reduction =
        ReducePrograms.reduce(type + "[300,8]", "0", "add", "0").entry().root();
    Reducer body = Reducer.of(reduction.called().get(0)).orElseThrow();
    if (fit) {
      assertThat(ReduceLoops.rounds(body, ReduceLoops.MAX_ACCUMULATORS)).isNotNull();
    } else {
      assertThrows(
          TooLargeException.class, () -> ReduceLoops.rounds(body, ReduceLoops.MAX_ACCUMULATORS));
    }
  }
}
