package org.hlo4j.stablehlo.importer;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.stablehlo.StableHlo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One number of an attribute that stands for all of a huge array does not fill the memory. */
class EqualNumbersTest {
  private static final String LAYOUTS = "mhlo.xla_entry_computation_parameter_layouts";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "9000000000x2 | tensor<9000000000x2xi64> of equal numbers, want at most 4096",
        "4294967297x2 | tensor<4294967297x2xi64> of equal numbers, want at most 4096",
        "2x5000000000000000000 | 'tensor<2x5000000000000000000xi64>, want pairs: tensor<Nx2xi64>'",
      })
  void pairs(String sizes, String message) {
    HloException refusal =
        assertThrows(
            HloException.class,
            () ->
                imported(
                    "",
                    "\"stablehlo.collective_permute\"(%x) {source_target_pairs = dense<0> : tensor<"
                        + sizes
                        + "xi64>} : (tensor<3xf32>) -> tensor<3xf32>"));
    assertThat(refusal.summary())
        .isEqualTo("1:78: stablehlo.collective_permute: source_target_pairs got " + message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2x5000000000000000000 | tensor<2x5000000000000000000xi64> of equal numbers, want at most"
            + " 4096",
        "9000000000x0 | 'tensor<9000000000x0xi64>, want at most 4096 empty rows'",
      })
  void groups(String sizes, String message) {
    HloException refusal =
        assertThrows(
            HloException.class,
            () ->
                imported(
                    "",
                    "\"stablehlo.collective_broadcast\"(%x) {replica_groups = dense<1> : tensor<"
                        + sizes
                        + "xi64>} : (tensor<3xf32>) -> tensor<3xf32>"));
    assertThat(refusal.summary())
        .isEqualTo("1:78: stablehlo.collective_broadcast: replica_groups got " + message);
  }

  @ParameterizedTest
  @CsvSource({"9000000000", "2000000000"})
  void layouts(String size) {
    HloException refusal =
        assertThrows(
            HloException.class,
            () ->
                imported(
                    LAYOUTS + " = [dense<0> : tensor<" + size + "xindex>]",
                    "stablehlo.negate %x : tensor<3xf32>"));
    assertThat(refusal.summary())
        .isEqualTo("layout got tensor<" + size + "xindex> of equal numbers, want at most 4096");
  }

  private static HloModule imported(String attributes, String op) {
    return StableHlo.toHlo(
        StableHlo.parse(
            "module attributes {"
                + attributes
                + "} { func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> { %r = "
                + op
                + " return %r : tensor<3xf32> } }"));
  }
}
