package org.hlo4j.hlo.text;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;

/**
 * Texts that nobody would write. The build runs those that are kept in {@code
 * ParserFuzzTestInputs}; Jazzer looks for more when {@code JAZZER_FUZZ=1} is set.
 */
final class ParserFuzzTest {
  @FuzzTest
  void parsesVerifiesPrints(byte[] data) {
    String text = new String(data, UTF_8);
    try {
      HloModule module = Parser.parse(text);
      Verifier.lenient().findings(module);
      String printed = Printer.print(module);
      assertThat(Printer.print(Parser.parse(printed))).isEqualTo(printed);
    } catch (HloException refusal) {
      assertThat(refusal).hasMessageThat().containsMatch("^\\d+:\\d+: ");
    }
  }
}
