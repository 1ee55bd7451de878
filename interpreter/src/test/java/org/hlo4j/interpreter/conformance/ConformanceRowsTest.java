package org.hlo4j.interpreter.conformance;

import static com.google.common.truth.Truth.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.ConformanceRows;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The rows of {@code src/test/resources/rows}, one file an op, on every evaluator. */
final class ConformanceRowsTest {

  static List<Path> files() throws IOException, URISyntaxException {
    URL folder = Objects.requireNonNull(ConformanceRowsTest.class.getResource("/rows"));
    try (Stream<Path> files = Files.list(Path.of(folder.toURI()))) {
      return files.sorted().toList();
    }
  }

  @TestFactory
  Stream<DynamicNode> rows() throws IOException, URISyntaxException {
    List<Path> files = files();
    return Arrays.stream(Evaluators.values())
        .map(evaluators ->
            DynamicContainer.dynamicContainer(
                evaluators.name(), files.stream().map(file -> rowsOf(file, evaluators))));
  }

  private static DynamicNode rowsOf(Path file, Evaluators evaluators) {
    Evaluator evaluator = evaluators.evaluator();
    try {
      return DynamicContainer.dynamicContainer(
          String.valueOf(file.getFileName()),
          ConformanceRows.read(file).tests((module, in) -> run(evaluator, module, in)));
    } catch (IOException unreadable) {
      throw new AssertionError(file.toString(), unreadable);
    }
  }

  /** The value; a module that has one also comes back from its text as it was. */
  private static Literal run(Evaluator evaluator, HloModule module, Literal... arguments) {
    Literal value = evaluator.run(module, arguments);
    String text = Printer.print(module);
    assertThat(Printer.print(Parser.parse(text))).isEqualTo(text);
    String canonical = Printer.print(module, PrintOptions.CANONICAL);
    assertThat(Printer.print(Parser.parse(canonical), PrintOptions.CANONICAL)).isEqualTo(canonical);
    return value;
  }

  @Test
  void fileIsNamedAfterAnOpInIt() throws IOException, URISyntaxException {
    for (Path file : files()) {
      String name = String.valueOf(file.getFileName()).replace(".rows", "");
      assertThat(
              ConformanceRows.read(file).rows().stream()
                  .filter(row -> row.text().contains(name + "("))
                  .toList())
          .isNotEmpty();
    }
  }

  // Rows that are wrong are told so, with what was got.

  private static String onlyFailure(String row) {
    return ConformanceRows.parse("t.rows", row).failures(Evaluators.both()::run).get(0);
  }

  @Test
  void wrongValue() {
    assertThat(onlyFailure("\nadd(s32[] 1, s32[] 2) => s32[] 4"))
        .isEqualTo("t.rows:2: add(s32[] 1, s32[] 2) => s32[] 4\ngot s32[] 3, want s32[] 4");
  }

  @Test
  void wrongByTooManyUlps() {
    assertThat(onlyFailure("add(f32[] 1, f32[] 2) => f32[] 3.000001, 3 ulps"))
        .contains("but was        : 4 ulps");
  }

  @Test
  void refusedUnasked() {
    assertThat(onlyFailure("add(s32[] 1, s32[2] {1, 2}) => s32[2] {2, 3}"))
        .contains("\ngot the refusal add: ");
  }

  @Test
  void notRefused() {
    assertThat(onlyFailure("add(s32[] 1, s32[] 2) !! add: no"))
        .endsWith("\ngot s32[] 3, want a refusal");
  }

  @Test
  void refusedWithAnotherMessage() {
    assertThat(onlyFailure("add(s32[] 1) !! add: no"))
        .endsWith("\n  ROOT result = add(operand.0)\n                ^");
  }
}
