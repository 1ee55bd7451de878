package org.hlo4j.interpreter;

import static com.google.common.truth.Truth.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Large arrays whose computation has no generated code, so that kernels call it for each element: a
 * run calls for one thread at a time.
 */
final class CallingKernelsTest {
  private static final String COMPUTATIONS =
      """
      HloModule m
      add { a = c64[] parameter(0) b = c64[] parameter(1) ROOT r = c64[] add(a, b) }
      twice { x = f32[] parameter(0) ROOT r = f32[] add(x, x) }
      less {
        a = f32[] parameter(0)
        b = f32[] parameter(1)
        x = f32[] map(a), dimensions={}, to_apply=twice
        y = f32[] map(b), dimensions={}, to_apply=twice
        ROOT r = pred[] compare(x, y), direction=LT
      }
      sum {
        a = f32[] parameter(0)
        b = f32[] parameter(1)
        x = f32[] map(a), dimensions={}, to_apply=twice
        ROOT r = f32[] add(x, b)
      }
      """;

  /** The parameters x and y, and the instruction. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          c64[30,40]  | c64[]     | c64[30,40] reduce-window(x, y), window={size=30x1 pad=29_0x0_0}, to_apply=add
          f32[16,300]  | f32[]     | f32[16,300] sort(x), dimensions={1}, is_stable=true, to_apply=less
          f32[16,40,40] | f32[16,20,20] | f32[16,40,40] select-and-scatter(x, y, z), window={size=1x2x2 stride=1x2x2}, select=less, scatter=sum
          s32[5000]    | f32[30]   | f32[30] scatter(y, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
          """)
  void areTheSameInAllRuns(String x, String y, String result) {
    HloModule module =
        Parser.parse(
            COMPUTATIONS
                + """
                ENTRY e {
                  x = SHAPE0 parameter(0)
                  y = SHAPE1 parameter(1)
                  z = f32[] constant(0)
                  i = s32[5000] iota(), iota_dimension=0
                  u = f32[5000] iota(), iota_dimension=0
                  ROOT r = INSTRUCTION
                }
                """
                    .replace("SHAPE0", x)
                    .replace("SHAPE1", y)
                    .replace("INSTRUCTION", result));
    Literal[] arguments = KernelTester.Values.EIGHTHS.arguments(module, new Random(3));
    Literal want = Interpreter.reference().run(module, arguments);
    EvaluatorOptions four = EvaluatorOptions.builder().threads(4).build();
    Executable program = Interpreter.compiled(four).compile(module);
    IntStream.range(0, 2).forEach(run -> assertThat(program.run(arguments)).isEqualTo(want));
  }

  /** What {@link #areTheSameInAllRuns} leaves to the night. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[150,300] | f32[]     | f32[150,299] reduce-window(x, y), window={size=1x2}, to_apply=sum
          f32[5000,8]  | f32[5000,8] | f32[5000,8] scatter(y, i, x), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
          """)
  void areTheSameInAllRunsAtNight(String x, String y, String result) {
    areTheSameInAllRuns(x, y, result);
  }
}
