package org.hlo4j.hlo.ir;

import static com.google.common.truth.Truth.assertThat;

import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.rows.VerdictRow;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Modules, each with the verdict of the parser or the strict verifier ({@link VerdictRow}):
 * ops.rows has an example of each op, verifier.rows the checks of XLA's verifier one by one, and
 * shapes.rows the shape rules of ops.
 */
final class VerifierRowsTest {
  static String read(String file) throws IOException {
    return Resources.toString(
        Resources.getResource(VerifierRowsTest.class, file), StandardCharsets.UTF_8);
  }

  static ImmutableList<VerdictRow> rows(String file) throws IOException {
    return VerdictRow.parse(read(file));
  }

  static String verdict(String text) {
    try {
      HloModule module = Parser.parse(text);
      Verifier.strict().verify(module);
      return "ok";
    } catch (HloException refusal) {
      return VerdictRow.spaced("!! " + refusal.getMessage());
    }
  }

  @TestFactory
  Stream<DynamicTest> everyCheck() throws IOException {
    ImmutableList<VerdictRow> all =
        ImmutableList.<VerdictRow>builder()
            .addAll(rows("ops.rows"))
            .addAll(rows("verifier.rows"))
            .addAll(rows("shapes.rows"))
            .build();
    return all.stream()
        .map(row ->
            DynamicTest.dynamicTest(
                row.check() + ": " + VerdictRow.spaced(row.text()),
                () -> assertThat(verdict(row.text())).isEqualTo(row.message())));
  }
}
