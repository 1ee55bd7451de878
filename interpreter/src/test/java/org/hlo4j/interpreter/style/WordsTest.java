package org.hlo4j.interpreter.style;

import static com.google.common.truth.Truth.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Names, comments, messages and documents use the field's words, which
 * docs/markdown/explanation/glossary.md lists, and none of the words that this project once had for
 * them.
 */
final class WordsTest {
  /** An iteration, and the idioms in which the word may be used. */
  private static final String TURN = "\\b(?<!\\bin )turn\\b|\\b(take|each|all|of|per|\\d) turns\\b";

  /** A reduction; constants are folded. */
  private static final String FOLD = "\\b(?<!constant )fold(s|ed)?\\b";

  private static final Pattern PRIVATE =
      Pattern.compile(
          String.join(
              "|",
              TURN,
              FOLD,
              "side by side|sideBySide|along themselves|truth ?values?|right"
                  + " module|dealt|\\bdeals?\\b",
              "scratch|rehears|practice",
              "\\b(MOST|LEAST)_[A-Z]"),
          Pattern.CASE_INSENSITIVE);

  /** The word may stand where it is the field's own. */
  private static boolean isPrivate(Path file, String line) {
    return PRIVATE.matcher(line).find() && !file.endsWith("ConstantFolding.java");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "benchmarks/src/main/java",
        "builder/src/main/java",
        "check/src/main/java",
        "examples/src/main/java",
        "hlo/src/main/java",
        "interpreter/src/main/java",
        "pjrt/src/main/java",
        "stablehlo/src/main/java",
        "testing/src/main/java",
        "tools/src/main/java",
        "docs",
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md"
      })
  void textUsesTheWordsOfTheGlossary(String root) throws IOException {
    List<String> findings = new ArrayList<>();
    try (Stream<Path> all = Files.walk(Path.of("..", root))) {
      for (Path file : all.filter(path -> path.toString().matches(".*\\.(java|md)")).toList()) {
        List<String> lines = file.endsWith("glossary.md") ? List.of() : Files.readAllLines(file);
        for (int i = 0; i < lines.size(); i++) {
          if (isPrivate(file, lines.get(i))) {
            findings.add(file + ":" + (i + 1) + ": " + lines.get(i).strip());
          }
        }
      }
    }
    assertThat(findings).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "begun in its last turn, true",
    "written to both in turn, false",
    "the text turns into numbers, false",
    "all take turns, true",
    "constant folding, false",
    "a constant folded, false",
    "what is folded, true",
    "int MOST_ROWS = 1, true",
    "areSideBySide(), true",
    "a truth value, true",
    "from a scratch array, true",
    "return folder, false"
  })
  void wordIsFound(String line, boolean isFound) {
    assertThat(isPrivate(Path.of("A.java"), line)).isEqualTo(isFound);
  }
}
