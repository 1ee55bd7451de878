package org.hlo4j.interpreter.compiled.loops;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.ir.HloModule;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Merging of short rows into long ones, with copies of the operands that all rows share. */
final class RowMergingTest {
  private static final String SCALED =
      "x = TYPE[R,C] parameter(0);g = TYPE[C] parameter(1);"
          + "b = TYPE[R,C] broadcast(g), dimensions={1};";

  private static HloModule module(String body, String type, int rows, int columns) {
    return LoopFusionsTest.fusion(
        body.replace("TYPE", type)
            .replaceAll("\\bR([,\\]])", rows + "$1")
            .replaceAll("\\bC([,\\]])", columns + "$1"));
  }

  private static String loops(HloModule module) {
    LoopKernel kernel = Loops.loopKernel(module.entry().root(), true).orElseThrow();
    return kernel.nests().get(0).toString();
  }

  /**
   * The number of rows merged into one divides the number of rows; a merged row has at most 1,024
   * elements.
   */
  @ParameterizedTest
  @CsvSource({
    "f32,  32768, 3,  '[128, 768] in 1 stages'",
    "f64,  30000, 3,  '[100, 900] in 1 stages'",
    "s8,   32768, 5,  '[256, 640] in 1 stages'",
    "bf16, 32768, 15, '[512, 960] in 1 stages'",
    "f32,  32768, 16, '[32768, 16] in 1 stages'",
    "f32,  65537, 3,  '[65537, 3] in 1 stages'",
    "f32,  16384, 3,  '[16384, 3] in 1 stages'",
  })
  void shortRowsAreMerged(String type, int rows, int columns, String loops) {
    HloModule module = module(SCALED + "ROOT y = TYPE[R,C] add(x, b)", type, rows, columns);
    assertThat(loops(module)).isEqualTo(loops);
    LoopFusionsTest.check(module, 1);
  }

  /**
   * Rows stay short if an operand has one element per row, or an iota or a reverse runs along rows.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[128, 768] in 1 stages   | n = TYPE[R,C] negate(b);ROOT y = TYPE[R,C] subtract(x, n)",
        "[128, 768] in 1 stages   | p = TYPE[R,C] multiply(x, b);ROOT y = TYPE[R,C] add(p, b)",
        "[32768, 3] in 1 stages   | r = TYPE[C] reverse(g), dimensions={0};"
            + "e = TYPE[R,C] broadcast(r), dimensions={1};p = TYPE[R,C] multiply(x, b);"
            + "ROOT y = TYPE[R,C] add(p, e)",
        "[32768, 3] in 1 stages   | i = TYPE[R,C] iota(), iota_dimension=1;"
            + "p = TYPE[R,C] multiply(x, b);ROOT y = TYPE[R,C] add(p, i)",
        "[32768, 3] in 1 stages   | w = TYPE[R] parameter(2);"
            + "e = TYPE[R,C] broadcast(w), dimensions={0};p = TYPE[R,C] multiply(x, b);"
            + "ROOT y = TYPE[R,C] add(p, e)",
        "[128, 768] in 1 stages   | p = TYPE[R,C] multiply(x, b);q = TYPE[R,C] add(x, b);"
            + "ROOT y = (TYPE[R,C], TYPE[R,C]) tuple(p, q)",
      })
  void otherOperandsMayPreventMerging(String loops, String body) {
    HloModule module = module(SCALED + body, "f32", 32768, 3);
    assertThat(loops(module)).isEqualTo(loops);
    LoopFusionsTest.check(module, 2);
  }

  /** An operand that all rows share, but not all outer indices, is not copied. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[5, 16384, 3] in 1 stages | {0,2}",
        "[256, 960] in 1 stages     | {2}",
      })
  void outerDimensions(String loops, String dimensions) {
    String shape = dimensions.equals("{2}") ? "f32[3]" : "f32[5,3]";
    HloModule module =
        LoopFusionsTest.fusion(
            "x = f32[5,16384,3] parameter(0);g = "
                + shape
                + " parameter(1);b = f32[5,16384,3] broadcast(g), dimensions="
                + dimensions
                + ";ROOT y = f32[5,16384,3] add(x, b)");
    assertThat(loops(module)).isEqualTo(loops);
    LoopFusionsTest.check(module, 3);
  }
}
