package org.hlo4j.stablehlo.importer;

import static com.google.common.truth.Truth.assertThat;

import java.util.List;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.stablehlo.StableHlo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sizes that a program computes from constants are folded into shapes. */
class SizeArithmeticTest {
  @ParameterizedTest
  @CsvSource({
    "add, 5, 2, 7",
    "subtract, 5, 2, 3",
    "multiply, 5, 2, 10",
    "divide, -7, -2, 3",
    "remainder, 7, -2, 1",
    "maximum, -5, 2, 2",
    "minimum, 5, 2, 2",
    "and, 6, 3, 2",
    "or, 6, 3, 7",
    "xor, 6, 3, 5",
    "power, 5, 2, 25",
    "power, 5, 0, 1",
    "power, 1, 64, 1",
    "power, -1, -2, 1",
    "power, 2, -1, 0",
    "power, 2, 64, 0",
  })
  void constantSizesAreFolded(String op, long lhs, long rhs, long want) {
    String text =
        """
        func.func @main() -> tensor<?xf32> {
          %%a = stablehlo.constant dense<%d> : tensor<1xi64>
          %%b = stablehlo.constant dense<%d> : tensor<1xi64>
          %%n = stablehlo.%s %%a, %%b : tensor<1xi64>
          %%r = stablehlo.dynamic_iota %%n, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>
          return %%r : tensor<?xf32>
        }
        """
            .formatted(lhs, rhs, op);
    HloModule module = StableHlo.specialize(StableHlo.parse(text), List.of());
    assertThat(module.entry().root().shape().toString()).isEqualTo("f32[" + want + "]");
  }

  @Test
  void iotaOfANarrowTypeWraps() {
    String text =
        """
        func.func @main() -> tensor<?xf32> {
          %i = stablehlo.iota dim = 0 : tensor<300xui8>
          %n = stablehlo.slice %i [299:300] : (tensor<300xui8>) -> tensor<1xui8>
          %r = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xui8>) -> tensor<?xf32>
          return %r : tensor<?xf32>
        }
        """;
    HloModule module = StableHlo.specialize(StableHlo.parse(text), List.of());
    assertThat(module.entry().root().shape().toString()).isEqualTo("f32[43]");
  }
}
