package org.hlo4j.stablehlo.importer;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.hlo.HloException;
import org.hlo4j.stablehlo.StableHlo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Programs that are refused, and the place and the words with which they are. */
class RefusalsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
"""
{sdy.sharding = #sdy.sharding<@m, [{"1"}, {}]>} | %r = stablehlo.negate %x : tensor<8x8xf32>  | 1:31: func.func: sdy.sharding: axis got "1", want one of mesh['x'=2,'y'=4]
{} | %r = "stablehlo.custom_call"() {call_target_name = "stablehlo.dynamic_approx_top_k"} : () -> tensor<8x8xf32>  | 1:92: stablehlo.custom_call: operands got 0, want 2n + 1
""")
  void wordsOfRefusals(String attributes, String op, String message) {
    String text =
        "sdy.mesh @m = <[\"x\"=2,\"y\"=4]> func.func @main(%x: tensor<8x8xf32> "
            + attributes
            + ") -> tensor<8x8xf32> { "
            + op
            + " return %r : tensor<8x8xf32> }";
    HloException refusal =
        assertThrows(HloException.class, () -> StableHlo.toHlo(StableHlo.parse(text)));
    assertThat(refusal.summary()).isEqualTo(message);
  }
}
