package org.hlo4j.stablehlo.importer;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.stablehlo.StableHlo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The configuration of custom calls in both of its spellings, as XLA reads it. */
class CallConfigTest {
  private static String call(String attributes) {
    return """
    func.func @main(%%x: tensor<2xf32>) -> tensor<2xf32> {
      %%0 = stablehlo.custom_call @f(%%x) {%s} : (tensor<2xf32>) -> tensor<2xf32>
      return %%0 : tensor<2xf32>
    }
    """
        .formatted(attributes);
  }

  private static String imported(String attributes) {
    String text = Printer.print(StableHlo.toHlo(StableHlo.parse(call(attributes))));
    return text.lines()
        .filter(line -> line.contains("custom-call("))
        .map(line -> line.substring(line.indexOf("custom_call_target=\"f\"") + 22))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "backend_config = \"\" | ``",
        "backend_config = \"x\" | `, backend_config=\"x\"`",
        "api_version = 2 : i32, backend_config = \"x\""
            + " | `, api_version=API_VERSION_STATUS_RETURNING, backend_config=\"x\"`",
        "backend_config = \"\\00\\FF\\C3\\A9\\80\" | `,"
            + " backend_config=\"\\000\\377\\303\\251\\200\"`",
        "api_version = 4 : i32 | `, api_version=API_VERSION_TYPED_FFI`",
        "api_version = 4 : i32, backend_config = {n = 1 : i32}"
            + " | `, api_version=API_VERSION_TYPED_FFI, backend_config={n = 1 : i32}`",
        "mhlo.backend_config = {n = 1 : i32}"
            + " | `, api_version=API_VERSION_TYPED_FFI, backend_config={n = 1 : i32}`",
        "mhlo.backend_config = {} | `, api_version=API_VERSION_TYPED_FFI, backend_config={}`",
        "backend_config = \"\", mhlo.backend_config = {n = 1 : i32}"
            + " | `, api_version=API_VERSION_TYPED_FFI, backend_config={n = 1 : i32}`",
        "api_version = 1 : i32, backend_config = \"\", mhlo.backend_config = {n = 1 : i32}"
            + " | `, api_version=API_VERSION_TYPED_FFI, backend_config={n = 1 : i32}`",
        "api_version = 4 : i32, backend_config = {}, mhlo.backend_config = {n = 1 : i32}"
            + " | `, api_version=API_VERSION_TYPED_FFI, backend_config={n = 1 : i32}`",
      })
  void configurationsAreRead(String attributes, String want) {
    assertThat(imported(attributes)).isEqualTo(want);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "backend_config = \"x\", mhlo.backend_config = {n = 1 : i32}"
            + " | mhlo.backend_config got {n = 1 : i32} beside backend_config = \"x\", want one of"
            + " them",
        "api_version = 4 : i32, backend_config = {m = 1 : i32}, mhlo.backend_config = {n = 1 : i32}"
            + " | mhlo.backend_config got {n = 1 : i32} beside backend_config = {m = 1 : i32}, want"
            + " one of them",
        "api_version = 2 : i32, mhlo.backend_config = {n = 1 : i32}"
            + " | mhlo.backend_config got {n = 1 : i32} for API_VERSION_STATUS_RETURNING, want"
            + " api_version 4, or none",
        "mhlo.backend_config = \"x\" | mhlo.backend_config got \"x\", want a dictionary",
        "backend_config = {n = 1 : i32}"
            + " | backend_config got {n = 1 : i32}, want a string for api_version 1",
      })
  void contradictionsAreRefused(String attributes, String want) {
    HloException refusal = assertThrows(HloException.class, () -> imported(attributes));
    assertThat(refusal.summary()).isEqualTo("2:3: stablehlo.custom_call: " + want);
  }

  /** The op of XLA that StableHLO writes as a typed call has its groups in either spelling. */
  @Test
  void raggedAllToAllNeedsItsConfiguration() {
    String text =
        """
        func.func @main(%%x: tensor<4xf32>, %%i: tensor<2xi64>) -> tensor<4xf32> {
          %%0 = stablehlo.custom_call @ragged_all_to_all(%%x, %%x, %%i, %%i, %%i, %%i) {%s} : \
        (tensor<4xf32>, tensor<4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, \
        tensor<2xi64>) -> tensor<4xf32>
          return %%0 : tensor<4xf32>
        }
        """;
    String config = "mhlo.backend_config = {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}";
    assertThat(Printer.print(StableHlo.toHlo(StableHlo.parse(text.formatted(config)))))
        .contains("replica_groups={{1,0}}");
    HloException refusal =
        assertThrows(
            HloException.class, () -> StableHlo.toHlo(StableHlo.parse(text.formatted(""))));
    assertThat(refusal.summary())
        .isEqualTo(
            "2:3: stablehlo.custom_call: backend_config got none, want a dictionary with"
                + " replica_groups");
  }
}
