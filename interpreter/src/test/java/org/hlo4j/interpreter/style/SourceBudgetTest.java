package org.hlo4j.interpreter.style;

import static com.google.common.truth.Truth.assertWithMessage;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How much code there is, and in how many places it names an op. The bounds only go down: whoever
 * needs less lowers them. Comments are not counted.
 */
final class SourceBudgetTest {
  @ParameterizedTest
  @CsvSource({
    "src/main/java/org/hlo4j/interpreter/compiled, 28680",
    "src/main/java/org/hlo4j/interpreter/compiled/reduce, 3275",
    "../check/src/main/java, 8317",
    "../pjrt/src/main/java, 4499",
    "../spark/src/main/java, 1200",
    "../stablehlo/src/main/java, 18538",
  })
  void linesOfCode(String folder, int most) throws IOException {
    assertWithMessage("lines of code in %s", folder)
        .that(codeLines(Path.of(folder)))
        .isAtMost(most);
  }

  @Test
  void linesOfFiles() throws IOException {
    for (Path file : sources(Path.of("src/main/java/org/hlo4j/interpreter/compiled"))) {
      assertWithMessage("lines of %s", file).that(Files.readAllLines(file).size()).isAtMost(400);
    }
  }

  private static int codeLines(Path root) throws IOException {
    int lines = 0;
    for (Path file : sources(root)) {
      lines += codeLines(Files.readAllLines(file));
    }
    return lines;
  }

  /**
   * Of all modules, as {@code grep -rlw Reverse} counts them, but for {@code check}, which makes
   * and compares programs of all ops and decides nothing about what they mean.
   */
  @ParameterizedTest
  @CsvSource({
    "Bitcast, 11",
    "Concatenate, 9",
    "DynamicSlice, 12",
    "Pad, 11",
    "Reverse, 7",
    "Slice, 12",
    "Transpose, 10",
  })
  void filesThatNameAMovementOp(String op, int most) throws IOException {
    Pattern name = Pattern.compile("\\b" + op + "\\b");
    ImmutableList.Builder<String> files = ImmutableList.builder();
    for (String module : List.of("hlo", "builder", "stablehlo", "interpreter", "tools")) {
      for (Path file : sources(Path.of("..", module, "src/main/java"))) {
        if (name.matcher(Files.readString(file)).find()) {
          files.add(file.getFileName().toString());
        }
      }
    }
    assertWithMessage("files that name %s: %s", op, files.build())
        .that(files.build().size())
        .isAtMost(most);
  }

  private static List<Path> sources(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(path -> path.toString().endsWith(".java")).toList();
    }
  }

  /** Counts lines but comments, imports, the package and blank lines. */
  private static int codeLines(List<String> lines) {
    int count = 0;
    boolean isComment = false;
    for (String line : lines) {
      String text = line.strip();
      if (isComment || text.startsWith("/*")) {
        isComment = !text.contains("*/");
      } else if (!text.isEmpty() && !text.matches("(//|import |package ).*")) {
        count++;
      }
    }
    return count;
  }
}
