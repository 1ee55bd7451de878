package org.hlo4j.interpreter.compiled;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The reasons that the plan of a program gives for instructions without a kernel. */
final class KernelChoicesTest {
  private static final String COMPUTATIONS =
      """
      HloModule m
      with {
        a = c64[] parameter(0)
        b = c64[] parameter(1)
        m = c64[] multiply(a, b)
        ROOT r = c64[] subtract(m, b)
      }
      max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
      neg { a = f32[] parameter(0) ROOT r = f32[] negate(a) }
      odd {
        a = f32[] parameter(0)
        b = f32[] parameter(1)
        m = f32[] map(a), dimensions={}, to_apply=neg
        ROOT r = f32[] add(m, b)
      }
      big { x = f32[100000] parameter(0) ROOT y = f32[100000] tanh(x) }
      ever { x = f32[100000] parameter(0) ROOT t = pred[] constant(true) }
      same { x = f32[100000] parameter(0) ROOT y = f32[100000] exponential(x) }
      """;

  private static String line(String instructions, EvaluatorOptions options) {
    HloModule module = Parser.parse(COMPUTATIONS + "ENTRY e {\n" + instructions + "\n}");
    String plan = Interpreter.compiled(options).compile(module).explain();
    return plan.lines()
        .filter(line -> line.startsWith("  result "))
        .map(line -> line.strip().replaceAll("^result +\\S+ +", ""))
        .findFirst()
        .orElse(plan);
  }

  /** Columns: shapes of the parameters x and y, the instruction r, and its line of the plan. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          s64[3,3] | f32[3,3] | f32[3,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} | reference: dot, s64 x f32: no accumulator type for f32
          f32[3,3] | f32[3,3] | s32[3,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} | reference: dot, f32 x f32: no accumulator type for s32
          c64[3,3] | f32[3,3] | c64[3,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} | reference: dot, c64 x f32: no accumulator type for c64
          f32[<=4,3] | f32[3,3] | f32[<=4,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} | reference: dot, as its sizes are known only when it runs
          s64[1,8,2] | f32[3,2,4] | f32[1,6,4] convolution(x, y), window={size=3}, dim_labels=b0f_0io->b0f | reference: convolution, s64 x f32: no accumulator type for f32
          c64[4] | c64[] | c64[] reduce(x, y), dimensions={0}, to_apply=with | reference: reduce, no array of real numbers: c64[4]
          c64[2,2] | f32[] | c64[2,2] cholesky(x), lower=true | reference: cholesky, matrices of c64
          c64[2,2] | c64[2,2] | c64[2,2] triangular-solve(x, y), left_side=true, lower=true, transpose_a=NO_TRANSPOSE | reference: triangular-solve, matrices of c64
          f32[4] | f32[] | f32[] reduce(x, y), dimensions={0}, to_apply=odd | reference: reduce, no code for odd
          f32[0,3] | s32[2,1] | f32[2,3] gather(x, y), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={0,3} | reference: gather, slices without elements
          f32[8] | f32[] | f32[1] reduce-window(x, y), window={size=8589934592 pad=8589934583_1}, to_apply=max | reference: reduce-window, a window that does not cover all before it in one dimension; a window of many positions
          f32[4,2] | f32[] | f32[4,2] custom-call(x), custom_call_target="Qr" | reference: custom-call, no kernel for Qr
          pred[] | f32[100000] | f32[100000] conditional(x, y, y), true_computation=big, false_computation=same | conditional, step by step: better done by a kernel: f32[100000]
          """)
  void saysWhyThereIsNoKernel(String x, String y, String r, String want) {
    assertThat(
            line(
                "x = %s parameter(0)\ny = %s parameter(1)\nROOT result = %s".formatted(x, y, r),
                EvaluatorOptions.defaults()))
        .isEqualTo(want);
  }

  /** More than 2^24 results, rows or steps. Nothing is run. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[17000000] | f32[17000000] | f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
          f32[17000000,2] | f32[2,3] | f32[17000000,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          s32[5000,4000,2] | s32[2] | s32[5000,4000] dot(x, y), lhs_contracting_dims={2}, rhs_contracting_dims={0}
          f32[17000000,2] | f32[17000000,2] | f32[17000000] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1}
          f32[2,17000000] | f32[17000000,2] | f32[17000000] dot(x, y), lhs_batch_dims={1}, rhs_batch_dims={0}, lhs_contracting_dims={0}, rhs_contracting_dims={1}
          f32[32,224,224,3] | f32[7,7,3,64] | f32[32,112,112,64] convolution(x, y), window={size=7x7 stride=2x2 pad=3_3x3_3}, dim_labels=b01f_01io->b01f
          f32[64,224,224,64] | f32[3,3,64,8] | f32[64,224,224,8] convolution(x, y), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f
          s32[1,1,20000000] | s32[1,1,3] | s32[1,1,20000000] convolution(x, y), window={size=3 pad=1_1}, dim_labels=bf0_oi0->bf0
          """)
  void largeProductsHaveKernels(String x, String y, String r) {
    assertThat(
            line(
                "x = %s parameter(0)\ny = %s parameter(1)\nROOT result = %s".formatted(x, y, r),
                EvaluatorOptions.defaults()))
        .containsMatch("^(gemm|convolution by) ");
  }

  private static final String LOOP =
      "x = f32[100000] parameter(0)\nROOT result = f32[100000] while(x), condition=ever, body=big";

  @Test
  void saysWhyLoopsAreRunStepByStep() {
    assertThat(line(LOOP, EvaluatorOptions.defaults()))
        .isEqualTo("while, step by step: better done by a kernel: f32[100000]");
    assertThat(line(LOOP, EvaluatorOptions.builder().maxSteps(9).build()))
        .isEqualTo("while, step by step: its instructions are counted, checked or listened to");
  }

  /** Uses an op that no other test uses, since code that is cached from other modules is free. */
  @Test
  void saysThatTheCodeLimitIsReached() {
    assertThat(
            line(
                """
                x = f32[9] parameter(0)
                ROOT result = f32[9] reduce-precision(x), exponent_bits=6, mantissa_bits=13
                """,
                EvaluatorOptions.builder().maxCodeBytes(0).build()))
        .isEqualTo(
            "reference: reduce-precision, no code for Loop, want at most 0 bytes for all of a"
                + " module");
  }
}
