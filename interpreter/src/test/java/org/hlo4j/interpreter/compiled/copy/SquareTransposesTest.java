package org.hlo4j.interpreter.compiled.copy;

import java.util.List;
import org.hlo4j.interpreter.compiled.KernelTester;
import org.hlo4j.interpreter.compiled.Kernels;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Transposes by square blocks, with vectors if there are any, against the reference evaluator. */
class SquareTransposesTest {
  private static final int[] SIZES = {64, 65, 76, 80, 127, 257};
  private final KernelTester tester =
      new KernelTester(instruction -> Kernels.ofOp(instruction, false));

  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "s32", "u64", "bf16", "s8", "pred"})
  void allSizesAreTransposed(String type) {
    for (SquareTransposes squares : SquareTransposes.values()) {
      squares.prepare();
    }
    for (int rows : SIZES) {
      for (int columns : SIZES) {
        check(type, List.of(rows, columns), "1,0", List.of(columns, rows));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "s16"})
  void batchesAndBlocksAreTransposed(String type) {
    for (SquareTransposes squares : SquareTransposes.values()) {
      squares.prepare();
    }
    check(type, List.of(3, 70, 90), "0,2,1", List.of(3, 90, 70));
    check(type, List.of(80, 3, 64), "2,1,0", List.of(64, 3, 80));
    check(type, List.of(2000, 16), "1,0", List.of(16, 2000));
    check(type, List.of(64, 3000), "1,0", List.of(3000, 64));
    check(type, List.of(600, 704), "1,0", List.of(704, 600));
  }

  private void check(String type, List<Integer> from, String order, List<Integer> to) {
    String op = "transpose(p0), dimensions={" + order + "}";
    tester.check(KernelTester.module("", type + to, op, type + from));
  }
}
