package org.hlo4j.stablehlo;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.vhlo.PortableArtifact;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** MHLO's text is read as StableHLO or CHLO, with the ops, attributes and types of these names. */
class MhloTest {
  private static String module(String line) {
    return """
    func.func @f(%%a: tensor<4xf32>, %%b: tensor<4xf32>, %%c: tensor<f32>, %%t: !mhlo.token) {
      %s
      return
    }
    """
        .formatted(line);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "%0 = mhlo.add %a, %b : tensor<4xf32> | stablehlo.add %a, %b : tensor<4xf32>",
        "%0 = \"mhlo.add\"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>"
            + " | stablehlo.add %a, %b : tensor<4xf32>",
        "%0 = mhlo.constant dense<1.0> : tensor<f32>"
            + " | stablehlo.constant dense<1.000000e+00> : tensor<f32>",
        "%0 = mhlo.erf %c : tensor<f32> | chlo.erf %c : tensor<f32> -> tensor<f32>",
        "%0 = \"mhlo.acosh\"(%c) : (tensor<f32>) -> tensor<f32>"
            + " | chlo.acosh %c : tensor<f32> -> tensor<f32>",
        "%0 = mhlo.tan %c : tensor<f32> | stablehlo.tan %c : tensor<f32>",
        "%0 = mhlo.compare LT, %a, %b, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>"
            + " | stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) ->"
            + " tensor<4xi1>",
        "%0 = \"mhlo.compare\"(%a, %b) {comparison_direction = #mhlo<comparison_direction GE>} :"
            + " (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>"
            + " | stablehlo.compare GE, %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>",
        "%0 = \"mhlo.dot_general\"(%a, %b) {dot_dimension_numbers ="
            + " #mhlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>,"
            + " precision_config = [#mhlo<precision HIGH>, #mhlo<precision HIGH>]} :"
            + " (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>"
            + " | stablehlo.dot_general %a, %b, contracting_dims = [0] x [0], precision = [HIGH,"
            + " HIGH] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>",
        "%0 = mhlo.reduce(%a init: %c) applies mhlo.maximum across dimensions = [0] :"
            + " (tensor<4xf32>, tensor<f32>) -> tensor<f32>"
            + " | stablehlo.reduce(%a init: %c) applies stablehlo.maximum across dimensions = [0] :"
            + " (tensor<4xf32>, tensor<f32>) -> tensor<f32>",
        "%0 = \"mhlo.reverse\"(%a) {dimensions = dense<0> : tensor<1xi64>} : (tensor<4xf32>) ->"
            + " tensor<4xf32> | stablehlo.reverse %a, dims = [0] : tensor<4xf32>",
        "%0 = \"mhlo.after_all\"(%t) : (!mhlo.token) -> !mhlo.token"
            + " | stablehlo.after_all %t : !stablehlo.token",
        "%0 = \"mhlo.custom_call\"(%c) {call_target_name = \"g\", api_version = 2 : i32} :"
            + " (tensor<f32>) -> tensor<?xf32, #mhlo.type_extensions<bounds = [3]>>"
            + " | stablehlo.custom_call @g(%c) {api_version = 2 : i32} : (tensor<f32>) ->"
            + " tensor<?xf32, #stablehlo.bounds<3>>",
        "%0:2 = mhlo.topk(%a, k=2, largest=false) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)"
            + " | \"mhlo.topk\"(%a) <{k = 2 : i64, largest = false}> : (tensor<4xf32>) ->"
            + " (tensor<2xf32>, tensor<2xi32>)",
      })
  void opsAreThoseOfStableHlo(String mhlo, String stableHlo) {
    Operation module = StableHlo.parse(module(mhlo));
    assertThat(StableHlo.verify(module)).isEmpty();
    String text = StableHlo.print(module);
    assertThat(text).contains(" = " + stableHlo + "\n");
    assertThat(StableHlo.print(StableHlo.parse(text))).isEqualTo(text);
  }

  /** MHLO has the numbers of a dot in an attribute of their own. */
  @Test
  void raggedDots() {
    String text =
        """
        func.func @f(%a: tensor<11x5xf32>, %b: tensor<3x5x7xf32>, %n: tensor<3xi64>) -> tensor<11x7xf32> {
          %0 = "mhlo.ragged_dot"(%a, %b, %n) {ragged_dot_dimension_numbers = #mhlo.ragged_dot<
            dot_dimension_numbers = #mhlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>,
            lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>,
            precision_config = [#mhlo<precision HIGH>, #mhlo<precision HIGH>]}
            : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>
          return %0 : tensor<11x7xf32>
        }
        """;
    Operation module = StableHlo.parse(text);
    assertThat(StableHlo.verify(module)).isEmpty();
    assertThat(StableHlo.print(module))
        .contains(
            "<{precision_config = [#chlo<precision HIGH>, #chlo<precision HIGH>],"
                + " ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions ="
                + " [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0],"
                + " rhs_group_dimensions = [0]>");
  }

  @Test
  void leastElementsAreKeptInArtifacts() {
    Operation module =
        StableHlo.parse(
            """
            func.func @main(%a: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
              %0:2 = mhlo.topk(%a, k=2, largest=false) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
              return %0#0, %0#1 : tensor<2xf32>, tensor<2xi32>
            }
            """);
    byte[] artifact = StableHlo.toArtifact(module, java.util.Optional.empty());
    assertThat(Printer.print(StableHlo.toHlo(PortableArtifact.read(artifact))))
        .contains("topk(%arg0), k=2, largest=false");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "%0 = mhlo.copy %a : tensor<4xf32> | 2:8: got mhlo.copy, want an op that is known",
        "%0 = \"mhlo.copy\"(%a) : (tensor<4xf32>) -> tensor<4xf32>"
            + " | 2:3: mhlo.copy: got an op that is not known, want one of StableHLO",
      })
  void opsOfItsOwnAreRefused(String line, String message) {
    HloException refusal =
        assertThrows(HloException.class, () -> refused(StableHlo.parse(module(line))));
    assertThat(refusal.summary()).isEqualTo(message);
  }

  private static void refused(Operation module) {
    throw StableHlo.verify(module).get(0);
  }
}
