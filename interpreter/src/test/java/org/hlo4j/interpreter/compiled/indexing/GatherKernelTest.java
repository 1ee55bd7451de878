package org.hlo4j.interpreter.compiled.indexing;

import static com.google.common.truth.Truth.assertThat;

import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.interpreter.compiled.Kernels;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels of gather and scatter against the reference evaluator. */
class GatherKernelTest {
  private final KernelTester tester =
      new KernelTester(instruction -> Kernels.ofOp(instruction, false));

  /** Checks with random indices, some of them out of bounds. */
  private void check(int indices, int bound, HloModule module) {
    for (int i = 0; i < (Nightly.isOn() ? 3 : 1); i++) {
      checkOnce(indices, bound, module);
    }
  }

  private void checkOnce(int indices, int bound, HloModule module) {
    Literal[] arguments = tester.arguments(module);
    arguments[indices] = tester.randomIndices(arguments[indices].arrayShape(), bound);
    tester.check(module, arguments);
  }

  private void checkGather(String shape, String op, String operand, String indices) {
    Shape.Array array = (Shape.Array) org.hlo4j.hlo.text.Parser.parseShape(operand);
    int bound = (int) array.sizes().stream().max().orElse(1);
    check(1, bound, KernelTester.module("", shape, "gather(p0, p1), " + op, operand, indices));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "f32[5,7]     | offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},"
            + " index_vector_dim=1, slice_sizes={1,7}         | f32[9,7]    | s32[5]",
        "c64[5,7]     | offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},"
            + " index_vector_dim=1, slice_sizes={1,7}         | c64[9,7]    | u8[5]",
        "f32[7,5]     | offset_dims={0}, collapsed_slice_dims={0}, start_index_map={0},"
            + " index_vector_dim=1, slice_sizes={1,7}         | f32[9,7]    | s64[5]",
        "f32[4,9,6]   | offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1},"
            + " index_vector_dim=1, slice_sizes={4,1,6}     | f32[4,5,6]  | s32[9]",
        "bf16[9]      | offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1},"
            + " index_vector_dim=1, slice_sizes={1,1}      | bf16[9,7]   | s32[9,2]",
        "s8[3,4]      | offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={1,0},"
            + " index_vector_dim=0, slice_sizes={1,1}      | s8[9,7]     | u64[2,3,4]",
        "c128[3,4]    | offset_dims={}, collapsed_slice_dims={0}, start_index_map={0},"
            + " index_vector_dim=2, slice_sizes={1}            | c128[9]     | s16[3,4]",
        "f64[3,2,4]   | offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={1},"
            + " index_vector_dim=1, slice_sizes={2,4}        | f64[5,6]    | s32[3]",
        "f32[3,4,2]   | offset_dims={2}, collapsed_slice_dims={}, start_index_map={1},"
            + " operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2,"
            + " slice_sizes={1,2} | f32[3,6] | s32[3,4]",
        "f32[3,4]     | offset_dims={}, collapsed_slice_dims={1}, start_index_map={1},"
            + " operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2,"
            + " slice_sizes={1,1} | f32[3,6] | s32[3,4,1]",
        "f32[0,7]     | offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},"
            + " index_vector_dim=1, slice_sizes={1,7}         | f32[9,7]    | s32[0]",
        "f32[5,0]     | offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},"
            + " index_vector_dim=1, slice_sizes={1,0}         | f32[9,7]    | s32[5]",
        "f32[3]       | offset_dims={0}, collapsed_slice_dims={}, start_index_map={0},"
            + " index_vector_dim=0, slice_sizes={3}            | f32[9]      | s32[1]",
        "f32[5000,40] | offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},"
            + " index_vector_dim=1, slice_sizes={1,40}        | f32[99,40]  | s32[5000]",
        "s32[9000]    | offset_dims={}, collapsed_slice_dims={0}, start_index_map={0},"
            + " index_vector_dim=1, slice_sizes={1}            | s32[999]    | s32[9000]",
        "f32[900]     | offset_dims={}, collapsed_slice_dims={0}, start_index_map={0},"
            + " index_vector_dim=1, slice_sizes={1}            | f32[99]     | u32[900]",
        "f32[90]      | offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={1,0},"
            + " index_vector_dim=0, slice_sizes={1,1}          | f32[99,9]   | s64[2,90]",
      })
  void gathers(String shape, String op, String operand, String indices) {
    checkGather(shape, op, operand, indices);
  }

  private static final String[] SCATTERS = {
    "[9,7] [5,7] [5]    update_window_dims={1}, inserted_window_dims={0},"
        + " scatter_dims_to_operand_dims={0}, index_vector_dim=1",
    "[9,7] [7,5] [5]    update_window_dims={0}, inserted_window_dims={0},"
        + " scatter_dims_to_operand_dims={0}, index_vector_dim=1",
    "[9,7] [30] [30,2]  update_window_dims={}, inserted_window_dims={0,1},"
        + " scatter_dims_to_operand_dims={1,0}, index_vector_dim=1",
    "[9] [40] [40]      update_window_dims={}, inserted_window_dims={0},"
        + " scatter_dims_to_operand_dims={0}, index_vector_dim=1",
    "[9,7] [5,3,4] [5]  update_window_dims={1,2}, inserted_window_dims={},"
        + " scatter_dims_to_operand_dims={1}, index_vector_dim=1",
    "[3,6] [3,4] [3,4]  update_window_dims={}, inserted_window_dims={1},"
        + " scatter_dims_to_operand_dims={1}, input_batching_dims={0},"
        + " scatter_indices_batching_dims={0}, index_vector_dim=2",
    "[9,7] [0,7] [0]    update_window_dims={1}, inserted_window_dims={0},"
        + " scatter_dims_to_operand_dims={0}, index_vector_dim=1",
    "[0,7] [5,7] [5]    update_window_dims={1}, inserted_window_dims={0},"
        + " scatter_dims_to_operand_dims={0}, index_vector_dim=1",
    "[9] [3] [1]        update_window_dims={0}, inserted_window_dims={},"
        + " scatter_dims_to_operand_dims={0}, index_vector_dim=0",
  };

  private void checkScatters(String type, String index, String body) {
    String computation =
        "b {\n  x = "
            + type
            + "[] parameter(0)\n  y = "
            + type
            + "[] parameter(1)\n  "
            + body
            + "\n}\n";
    for (String row : Nightly.some(4, type + index, List.of(SCATTERS))) {
      String[] columns = row.split(" +", 4);
      String op = "scatter(p0, p1, p2), to_apply=b, " + columns[3];
      HloModule module =
          KernelTester.module(
              computation.replace("T[]", type + "[]"),
              type + columns[0],
              op,
              type + columns[0],
              index + columns[2],
              type + columns[1]);
      check(1, 8, module);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pred",
        "s4",
        "u8",
        "s16",
        "u32",
        "s32",
        "u64",
        "s64",
        "bf16",
        "f16",
        "f8e4m3fn",
        "f32",
        "f64"
      })
  void scattersByLoops(String type) {
    checkScatters(type, "s32", "ROOT r = T[] add(x, y)");
    checkScatters(type, "u8", "ROOT r = T[] multiply(y, x)");
    checkScatters(type, "s64", "ROOT r = T[] maximum(x, y)");
    checkScatters(type, "s16", "ROOT r = T[] minimum(x, y)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"pred", "u2", "bf16", "f32", "s64", "c64", "c128"})
  void overwritingScatters(String type) {
    String body = "b {\n  x = T[] parameter(0)\n  ROOT y = T[] parameter(1)\n}\n";
    for (String row : SCATTERS) {
      String[] columns = row.split(" +", 4);
      check(
          1,
          8,
          KernelTester.module(
              body.replace("T[]", type + "[]"),
              type + columns[0],
              "scatter(p0, p1, p2), to_apply=b, " + columns[3],
              type + columns[0],
              "s32" + columns[2],
              type + columns[1]));
    }
  }

  @Test
  void scattersWithOtherReducers() {
    checkScatters("f32", "s32", "ROOT r = T[] subtract(x, y)");
    checkScatters("c64", "s32", "ROOT r = T[] add(x, y)");
    checkScatters(
        "bf16",
        "s32",
        "h = T[] constant(0.3)\n  m = T[] multiply(y, h)\n" + "  ROOT r = T[] add(x, m)");
    checkScatters(
        "s8", "s32", "c = pred[] compare(x, y), direction=LT\n" + "  ROOT r = T[] select(c, x, y)");
    checkScatters("u32", "s32", "ROOT r = T[] xor(x, y)");
    checkScatters("f32", "s32", "e = T[] sqrt(y)\n  ROOT r = T[] divide(x, e)");
    checkScatters("f64", "s32", "ROOT r = T[] add(x, x)");
    HloModule old =
        KernelTester.module(
            "b {\n  ROOT x = f32[] parameter(0)\n  y = f32[] parameter(1)\n}\n",
            "f32[9]",
            "scatter(p0, p1, p2), to_apply=b, update_window_dims={}, inserted_window_dims={0},"
                + " scatter_dims_to_operand_dims={0}, index_vector_dim=1",
            "f32[9]",
            "s32[4]",
            "f32[4]");
    check(1, 9, old);
  }

  private static final String ROWS =
      "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},"
          + " index_vector_dim=1";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // threads share the columns of long rows
        "[20,300] | [200,300] | [200] | " + ROWS,
        // and of short rows, if all go to the same row
        "[1,130]  | [6000,130] | [6000] | " + ROWS,
        // each thread has a part of the result
        "[20,130] | [300,130] | [300] | " + ROWS,
        "[20,15]  | [3000,15] | [3000] | " + ROWS,
        // rows begin anywhere, so one thread does them all
        "[20,15]  | [5000,9]  | [5000,2] | update_window_dims={1}, inserted_window_dims={0},"
            + " scatter_dims_to_operand_dims={0,1}, index_vector_dim=1",
        // overlapping windows of several rows
        "[20,15]  | [900,3,15] | [900] | update_window_dims={1,2}, inserted_window_dims={},"
            + " scatter_dims_to_operand_dims={0}, index_vector_dim=1",
        // windows of more rows than are done at a time
        "[2000,17] | [3,1500,17] | [3] | update_window_dims={1,2}, inserted_window_dims={},"
            + " scatter_dims_to_operand_dims={0}, index_vector_dim=1",
      })
  void rowsAreScatteredInOrder(String operand, String updates, String indices, String op) {
    for (String type : Nightly.some(4, operand + updates, List.of("f32", "bf16", "s8", "f64"))) {
      String text =
          "b {\n  x = T[] parameter(0)\n  y = T[] parameter(1)\n  ROOT r = T[] add(x, y)\n}\n";
      HloModule module =
          KernelTester.module(
              text.replace("T[]", type + "[]"),
              type + operand,
              "scatter(p0, p1, p2), to_apply=b, " + op,
              type + operand,
              "s32" + indices,
              type + updates);
      checkOnce(1, 20, module);
      int length = Integer.parseInt(updates.replaceAll(".*,|]", ""));
      RowScatterLoops.of(module.entry().root().called().get(0), length, false, false, false)
          .orElseThrow()
          .prepare();
      checkOnce(1, 20, module);
    }
  }

  @Test
  void variadicScatter() {
    HloModule module =
        KernelTester.module(
            """
            b {
              a = f32[] parameter(0)
              i = s32[] parameter(1)
              b = f32[] parameter(2)
              j = s32[] parameter(3)
              c = pred[] compare(a, b), direction=GE
              v = f32[] select(c, a, b)
              w = s32[] select(c, i, j)
              ROOT r = (f32[], s32[]) tuple(v, w)
            }
            """,
            "(f32[9], s32[9])",
            "scatter(p0, p1, p2, p3, p4), to_apply=b, update_window_dims={},"
                + " inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1",
            "f32[9]",
            "s32[9]",
            "s32[40]",
            "f32[40]",
            "s32[40]");
    check(2, 9, module);
  }

  @Test
  void invalidGathersAreDeclined() {
    HloModule module =
        KernelTester.module(
            "",
            "f32[3]",
            "gather(p0, p1), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0},"
                + " index_vector_dim=1, slice_sizes={0}",
            "f32[0]",
            "s32[3]");
    assertThat(Kernels.ofOp(module.entry().root(), false).kernel()).isEmpty();
  }
}
