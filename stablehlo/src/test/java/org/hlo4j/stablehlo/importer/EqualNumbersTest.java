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
        "permute | source_target_pairs | 9000000000x2"
            + " | tensor<9000000000x2xi64> of equal numbers, want at most 4096",
        "permute | source_target_pairs | 4294967297x2"
            + " | tensor<4294967297x2xi64> of equal numbers, want at most 4096",
        "permute | source_target_pairs | 2x5000000000000000000"
            + " | 'tensor<2x5000000000000000000xi64>, want pairs: tensor<Nx2xi64>'",
        "broadcast | replica_groups | 2x5000000000000000000"
            + " | tensor<2x5000000000000000000xi64> of equal numbers, want at most 4096",
        "broadcast | replica_groups | 9000000000x0"
            + " | 'tensor<9000000000x0xi64>, want at most 4096 empty rows'",
      })
  void devices(String op, String attribute, String sizes, String message) {
    String type = "tensor<" + sizes + "xi64>";
    HloException refusal =
        assertThrows(
            HloException.class,
            () ->
                imported(
                    "",
                    "\"stablehlo.collective_%s\"(%%x) {%s = dense<1> : %s} : (tensor<3xf32>) -> tensor<3xf32>"
                        .formatted(op, attribute, type)));
    assertThat(refusal.summary())
        .isEqualTo("1:78: stablehlo.collective_" + op + ": " + attribute + " got " + message);
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
