package org.hlo4j.tools.input;

import java.io.IOException;
import java.nio.file.Path;
import org.hlo4j.tools.Cli;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arithmetic of other dialects than StableHLO on values that are not known, by both evaluators. */
class OtherSizesTest {
  /** The results are those of 64-bit two's complement arithmetic on -7 and 2, in this order. */
  private static final String TEXT =
      """
      func.func @main(%k: i64, %two: i64, %x: tensor<3xf32>, %i: index) -> (tensor<11xi64>, tensor<6xi32>, tensor<f32>) {
        %q0 = arith.divsi %k, %two : i64
        %q1 = arith.floordivsi %k, %two : i64
        %q2 = arith.ceildivsi %k, %two : i64
        %q3 = arith.divui %k, %two : i64
        %q4 = arith.remui %k, %two : i64
        %q5 = arith.shrsi %k, %two : i64
        %q6 = arith.shrui %k, %two : i64
        %q7 = arith.maxui %k, %two : i64
        %q8 = arith.ceildivui %k, %two : i64
        %b = arith.cmpi slt, %k, %two : i64
        %q9 = arith.extsi %b : i1 to i64
        %u = arith.cmpi ult, %k, %two : i64
        %q10 = arith.select %u, %k, %two : i64
        %0 = tensor.from_elements %q0, %q1, %q2, %q3, %q4, %q5, %q6, %q7, %q8, %q9, %q10 : tensor<11xi64>
        %t = arith.trunci %k : i64 to i8
        %r0 = arith.extui %t : i8 to i32
        %r1 = arith.extsi %t : i8 to i32
        %odd = arith.trunci %k : i64 to i1
        %r2 = arith.extui %odd : i1 to i32
        %sum = arith.addi %b, %b : i1
        %r3 = arith.extsi %sum : i1 to i32
        %less = arith.cmpi slt, %b, %u : i1
        %r4 = arith.extui %less : i1 to i32
        %f = arith.sitofp %b : i1 to f32
        %r5 = arith.fptosi %f : f32 to i32
        %1 = tensor.from_elements %r0, %r1, %r2, %r3, %r4, %r5 : tensor<6xi32>
        %e = tensor.extract %x[%i] : tensor<3xf32>
        %2 = tensor.from_elements %e : tensor<f32>
        return %0, %1, %2 : tensor<11xi64>, tensor<6xi32>, tensor<f32>
      }
      """;

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"compiled", "reference"})
  void valuesThatAreNotKnownAreComputed(String evaluator) throws IOException {
    new Cli(folder)
        .with("f.mlir", TEXT)
        .run("run", "--evaluator", evaluator, "@/f.mlir", "--input", "-7", "2", "{1, 2, 4}", "2")
        .prints(
            """
            0: s64[11] {-3, -4, -3, 9223372036854775804, 1, -2, 4611686018427387902, -7, 9223372036854775805, -1, 2}
            1: s32[6] {249, -7, 1, 0, 1, -1}
            2: f32[] 4
            """);
  }
}
