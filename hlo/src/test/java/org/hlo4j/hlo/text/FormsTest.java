package org.hlo4j.hlo.text;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.google.common.base.Splitter;
import com.google.common.io.Resources;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.PrintOptions.Part;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every attribute, literal, layout and header in the form that XLA prints: the text is parsed and
 * printed unchanged.
 *
 * <p>The texts are in {@code forms.txt} and {@code canonical.txt}, as blocks that begin with a line
 * {@code === name}. XLA printed all of them except the named shardings, which it did not support
 * yet. They differ from XLA's output in two details: a negative zero is {@code -0.0} rather than
 * {@code -0}, and the canonical form of scan and reduce-scatter has {@code to_apply}, where XLA
 * writes {@code calls} and cannot read it.
 */
final class FormsTest {
  /** Returns the blocks of a file: the name after {@code ===}, and the text that follows. */
  static Stream<Arguments> blocks(String file) throws IOException {
    String text = Resources.toString(Resources.getResource(FormsTest.class, file), UTF_8);
    return Splitter.on("\n=== ").splitToStream(text).skip(1).map(FormsTest::block);
  }

  private static Arguments block(String block) {
    List<String> parts = Splitter.on('\n').limit(2).splitToList(block);
    return arguments(parts.get(0), parts.get(1).strip() + "\n");
  }

  static Stream<Arguments> full() throws IOException {
    return blocks("forms.txt");
  }

  static Stream<Arguments> canonical() throws IOException {
    return blocks("canonical.txt");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void full(String name, String text) {
    HloModule module = Parser.parse(text);
    assertThat(Printer.print(module)).isEqualTo(text);
    assertThat(module.name()).isEqualTo(name);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void canonical(String name, String text) {
    assertThat(Printer.print(Parser.parse(text), PrintOptions.CANONICAL)).isEqualTo(text);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("full")
  void printingWithoutAnyOnePartIsStable(String name, String text) {
    HloModule module = Parser.parse(text);
    for (Part part : Part.values()) {
      PrintOptions options = PrintOptions.FULL.without(part);
      if (part != Part.PARTICULARS && part != Part.INSTRUCTION_NAMES) {
        String printed = Printer.print(module, options);
        assertThat(Printer.print(Parser.parse(printed), options)).isEqualTo(printed);
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("full")
  void canonicalFormOfFullForm(String name, String text) throws IOException {
    String canonical = Printer.print(Parser.parse(text), PrintOptions.CANONICAL);
    canonical()
        .filter(block -> block.get()[0].equals(name))
        .forEach(block -> assertThat(canonical).isEqualTo(block.get()[1]));
  }
}
