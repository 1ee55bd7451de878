package org.hlo4j.stablehlo;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * What XLA's own converters make of each op and attribute, and what ours make of it. The cases are
 * in to-hlo.cases and to-stablehlo.cases; where we make something else, they say what and why.
 */
class XlaReadingTest {
  private static final Pattern ANNOTATION =
      Pattern.compile("(mhlo|tf|jax|sdy)\\.\\w+ = (\"[^\"]*\"|\\{[^}]*}|[^,}]*)");

  private interface Conversion {
    String of(String program);
  }

  private static HloModule toHlo(String stableHlo) {
    HloModule module = StableHlo.toHlo(StableHlo.parse(stableHlo));
    Verifier.strict().verify(module);
    return module;
  }

  private static String toStableHlo(String hlo) {
    return StableHlo.print(StableHlo.fromHlo(Parser.parse(hlo)));
  }

  private static String orRefusal(Conversion conversion, String program) {
    try {
      return conversion.of(program);
    } catch (HloException refusal) {
      return "refused: " + refusal.summary() + "\n";
    }
  }

  @TestFactory
  Stream<DynamicTest> stableHloBecomesHlo() {
    return tests(
        "to-hlo.cases",
        mlir -> NormalForm.of(toHlo(mlir)),
        hlo -> NormalForm.of(Parser.parse(hlo)));
  }

  @TestFactory
  Stream<DynamicTest> hloBecomesStableHlo() {
    return tests(
        "to-stablehlo.cases",
        hlo -> NormalForm.of(StableHlo.parse(toStableHlo(hlo))),
        mlir -> NormalForm.of(StableHlo.parse(mlir)));
  }

  private static Stream<DynamicTest> tests(String file, Conversion ours, Conversion normal) {
    return XlaCases.read(file).stream()
        .map(each -> DynamicTest.dynamicTest(each.name(), () -> check(each, ours, normal)));
  }

  private static void check(XlaCases.Case each, Conversion ours, Conversion normal) {
    String got = orRefusal(ours, each.program());
    if (!each.why().isEmpty()) {
      assertThat(got).isEqualTo(each.byUs());
      return;
    }
    assertWithMessage("XLA refuses it, so the case must say what hlo4j makes of it:\n%s", got)
        .that(each.isRefusedByXla())
        .isFalse();
    assertThat(got).isEqualTo(normal.of(each.byXla()));
  }

  /** What is exported is read again, as a valid module with the same annotations. */
  @Test
  void exportsAreReadBack() {
    for (XlaCases.Case each : XlaCases.read("to-stablehlo.cases")) {
      String exported = orRefusal(XlaReadingTest::toStableHlo, each.program());
      boolean isRefused = exported.startsWith("refused: ");
      if (!isRefused && !StableHlo.hasSymbolicDimensions(StableHlo.parse(exported))) {
        String again = StableHlo.print(StableHlo.fromHlo(toHlo(exported)));
        assertWithMessage(each.name())
            .that(annotations(again))
            .containsExactlyElementsIn(annotations(exported));
      }
    }
  }

  private static ImmutableList<String> annotations(String stableHlo) {
    return ANNOTATION
        .matcher(stableHlo)
        .results()
        .map(MatchResult::group)
        .collect(toImmutableList());
  }

  /** Writes all that we write, for goldens.py to give to XLA, if a property says where. */
  @Test
  void writeForXla() throws IOException {
    Optional<String> file = Optional.ofNullable(System.getProperty("hlo4j.written"));
    StringBuilder all = new StringBuilder();
    for (XlaCases.Case each : XlaCases.read("to-hlo.cases")) {
      add(each, mlir -> Printer.print(toHlo(mlir)), all);
      add(each, mlir -> StableHlo.print(StableHlo.parse(mlir)), all);
    }
    for (XlaCases.Case each : XlaCases.read("to-stablehlo.cases")) {
      add(each, XlaReadingTest::toStableHlo, all);
      add(each, hlo -> Printer.print(Parser.parse(hlo)), all);
    }
    if (file.isPresent()) {
      Files.write(Path.of(file.get()), ImmutableList.of(all), UTF_8);
    }
  }

  private static void add(XlaCases.Case each, Conversion conversion, StringBuilder all) {
    String written = orRefusal(conversion, each.program());
    if (!written.startsWith("refused: ")) {
      all.append("=== ").append(each.name()).append('\n').append(written);
    }
  }
}
