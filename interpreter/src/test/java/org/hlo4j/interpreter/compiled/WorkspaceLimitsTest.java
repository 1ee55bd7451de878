package org.hlo4j.interpreter.compiled;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.testing.LiteralSubject.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What kernels allocate beside their results counts as memory of the run. */
final class WorkspaceLimitsTest {
  private static Literal run(HloModule module, long maxBytes) {
    EvaluatorOptions options = EvaluatorOptions.builder().threads(2).maxBytes(maxBytes).build();
    Evaluator evaluator = Interpreter.compiled(options);
    Literal[] arguments =
        module.entry().parameters().stream()
            .map(HloInstruction::shape)
            .map(shape -> Literal.zeros((Shape.Array) shape))
            .toArray(Literal[]::new);
    return evaluator.run(module, arguments);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          x = f32[1,2,1] parameter(0); y = f32[2,1,1] parameter(1); ROOT r = f32[1,2,1] convolution(x, y), window={size=2 pad=5000000_5000000 rhs_dilate=10000000}, dim_labels=b0f_0io->b0f | 8000000 | a padded image or kernel of 40000008 bytes beside the 24 alive
          x = f8e4m3fn[1000,1000] parameter(0); y = f8e4m3fn[1000,1000] parameter(1); ROOT r = f32[1000,1000] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} | 8000000 | a widened operand of 4000000 bytes beside the 6000000 alive
          x = f32[200,200] parameter(0); ROOT r = f32[200,200] cholesky(x), lower=true | 1000000 | the matrices of cholesky of 1 of f32[200,200] of 1948800 bytes beside the 320000 alive
          x = f32[1000000] parameter(0); ROOT r = f32[1000000] sort(x), dimensions={0}, to_apply=lt | 10000000 | sort of 1 lines of 1000000 by key of 20000000 bytes beside the 8000000 alive
          x = f32[1000000] parameter(0); z = f32[] constant(0); ROOT r = f32[999998] reduce-window(x, z), window={size=3}, to_apply=add | 9000000 | reduce-window of 1 rows of 999998 by loops of 8008320 bytes beside the 7999996 alive
          """)
  void workspacesAreRefused(String entry, long maxBytes, String message) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
            lt { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
            ENTRY e {
            """
                + entry.replace("; ", "\n")
                + "\n}\n");
    HloException refusal = assertThrows(HloException.class, () -> run(module, maxBytes));
    assertThat(refusal.summary())
        .isEqualTo("run: " + message + ", want at most " + maxBytes + " together");
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.LIMIT);
  }

  /** A long iota in a reduction becomes no table of 16 MB. */
  @Test
  void longIotasAreComputed() {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
            ENTRY e {
              i = s32[4000000] iota(), iota_dimension=0
              p = s32[] parameter(0)
              q = s32[4000000] broadcast(p), dimensions={}
              x = s32[4000000] add(i, q)
              z = s32[] constant(0)
              ROOT r = s32[] reduce(x, z), dimensions={0}, to_apply=add
            }
            """);
    assertThat(run(module, 1_000_000)).isEqualTo(Literal.of((int) (3_999_999L * 2_000_000)));
  }
}
