package org.hlo4j.interpreter.compiled.indexing;

import static com.google.common.truth.Truth.assertThat;

import java.util.Random;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Gathers and scatters whose indices are computed while they run, and not stored. */
final class ComputedIndicesTest {
  private static Literal[] arguments(HloModule module) {
    return KernelTester.Values.EIGHTHS.arguments(module, new Random(7));
  }

  /** Runs a program on both evaluators, and returns its plan. */
  private static String checked(String entry) {
    HloModule module =
        Parser.parse(
            """
            HloModule m
            add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
            ENTRY e {
            """
                + entry
                + "}\n");
    Literal[] arguments = arguments(module);
    Executable program = Interpreter.compiled().compile(module);
    Literal want = Interpreter.reference().run(module, arguments);
    assertThat(program.run(arguments)).isEqualTo(want);
    assertThat(program.run(arguments)).isEqualTo(want);
    return program.explain();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "iota(), iota_dimension=0                                     | s32",
        "reverse(n), dimensions={0}                                   | s32",
        "add(n, n)                                                    | s32",
        "subtract(n, big)                                             | s32",
        "multiply(n, big)                                             | s64",
        "subtract(n, big)                                             | u32",
        "subtract(n, big)                                             | u64",
        "multiply(n, n)                                               | u8",
      })
  void gathersReadIndicesThatLoopsCompute(String indices, String type) {
    String plan =
        checked(
            """
            x = f32[300,5] parameter(0)
            n = TYPE[20000] iota(), iota_dimension=0
            c = TYPE[] constant(100)
            big = TYPE[20000] broadcast(c), dimensions={}
            i = TYPE[20000] INDICES
            ROOT g = f32[20000,5] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,5}
            """
                .replace("INDICES", indices)
                .replace("TYPE", type));
    assertThat(plan).contains("computing " + type + "[20000] in 1 parts");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "20000,2 | concatenate(r, c), dimensions={1} | 2 parts",
        "20001,2 | pad(z, zero), padding=1_0x1_0     | 3 parts",
      })
  void vectorsOfSeveralNumbersAreComputedInParts(String shape, String indices, String parts) {
    String plan =
        checked(
            """
            x = f32[300,200] parameter(0)
            zero = s32[] constant(0)
            r = s32[20000,1] iota(), iota_dimension=0
            k = s32[20000,1] parameter(1)
            c = s32[20000,1] negate(k)
            z = s32[20000,1] multiply(r, k)
            i = s32[SHAPE] INDICES
            ROOT g = f32[COUNT] gather(x, i), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={1,0}, index_vector_dim=1, slice_sizes={1,1}
            """
                .replace("INDICES", indices)
                .replace("COUNT", shape.replace(",2", ""))
                .replace("SHAPE", shape));
    assertThat(plan).contains("computing s32[" + shape + "] in " + parts);
  }

  @Test
  void vectorsThatLieApartAreStored() {
    String plan =
        checked(
            """
            x = f32[300,200] parameter(0)
            r = s32[1,20000] iota(), iota_dimension=1
            i = s32[2,20000] concatenate(r, r), dimensions={0}
            ROOT g = f32[20000] gather(x, i), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={1,0}, index_vector_dim=0, slice_sizes={1,1}
            """);
    assertThat(plan).doesNotContain("computing");
  }

  @Test
  void scattersReadIndicesThatLoopsCompute() {
    String plan =
        checked(
            """
            x = f32[300,5] parameter(0)
            u = f32[20000,5] parameter(1)
            n = s32[20000] iota(), iota_dimension=0
            c = s32[] constant(7)
            cs = s32[20000] broadcast(c), dimensions={}
            i = s32[20000] subtract(n, cs)
            ROOT s = f32[300,5] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
            """);
    assertThat(plan).contains("computing s32[20000] in 1 parts");
  }

  /** JAX's test of sparse arrays has these indices, of 4608 instead of 6. */
  @Test
  void indicesOfNineIotasTakeNoMemory() {
    StringBuilder text = new StringBuilder("x = f32[6,4,2,3,4,2,24,4,2] parameter(0)\n");
    StringBuilder parts = new StringBuilder();
    int[] dimensions = {0, 1, 2, 3, 4, 5, 6, 1, 2};
    for (int i = 0; i < dimensions.length; i++) {
      text.append(
          "n%s = s32[6,4,2,3,4,2,24,1] iota(), iota_dimension=%s\n".formatted(i, dimensions[i]));
      parts.append(i == 0 ? "n" : ", n").append(i);
    }
    text.append("i = s32[6,4,2,3,4,2,24,9] concatenate(" + parts + "), dimensions={7}\n");
    text.append(
        """
        ROOT g = f32[6,4,2,3,4,2,24] gather(x, i), offset_dims={}, collapsed_slice_dims={0,1,2,3,4,5,6,7,8}, start_index_map={0,1,2,3,4,5,6,7,8}, index_vector_dim=7, slice_sizes={1,1,1,1,1,1,1,1,1}
        """);
    assertThat(checked(text.toString())).contains("computing s32[6,4,2,3,4,2,24,9] in 9 parts");
    HloModule module = Parser.parse("HloModule m\nENTRY e {\n" + text + "}\n");
    long result = 4 * ((Shape.Array) module.entry().root().shape()).elementCount();
    long operand = 8 * result;
    EvaluatorOptions options = EvaluatorOptions.builder().maxBytes(operand + result + 1000).build();
    Literal got = Interpreter.compiled(options).compile(module).run(arguments(module));
    assertThat(got.elementCount()).isEqualTo(6 * 4 * 2 * 3 * 4 * 2 * 24);
  }
}
