package org.hlo4j.examples;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Compares the output of the examples with {@code tour.txt}, character by character. After an
 * intended change, review the new text in {@code examples/target/tour.txt} and copy it over.
 */
final class TourTest {
  private static final String PRINTED = printedBy(Tour::main);

  @Test
  void outputMatchesRecording() throws IOException {
    Files.writeString(Path.of("target", "tour.txt"), PRINTED);
    String wanted = resource("tour.txt");

    List<String> printedLines = PRINTED.lines().toList();
    List<String> wantedLines = wanted.lines().toList();
    for (int i = 0; i < Math.min(printedLines.size(), wantedLines.size()); i++) {
      assertWithMessage("line %s of the tour", i + 1)
          .that(printedLines.get(i))
          .isEqualTo(wantedLines.get(i));
    }
    assertThat(printedLines).hasSize(wantedLines.size());
  }

  @Test
  void outputIsReproducible() {
    assertThat(printedBy(Tour::main)).isEqualTo(PRINTED);
  }

  @Test
  void outputIsPlainAscii() {
    assertThat(PRINTED).matches("[\\n\\x20-\\x7e]*");
  }

  @Test
  void tourRunsEveryExample() throws IOException {
    String tour = Files.readString(Path.of("src/main/java/org/hlo4j/examples/Tour.java"));
    try (var files = Files.list(Path.of("src/main/java/org/hlo4j/examples"))) {
      String missing =
          files
              .filter(TourTest::hasMain)
              .map(file -> file.getFileName().toString().replace(".java", ""))
              .filter(name -> !name.equals("Tour") && !tour.contains(name + "::main"))
              .collect(joining(", "));
      assertThat(missing).isEmpty();
    }
  }

  private static boolean hasMain(Path file) {
    try {
      return Files.readAllLines(file).contains("  static void main() {");
    } catch (IOException unreadable) {
      throw new AssertionError(unreadable);
    }
  }

  private static String printedBy(Runnable main) {
    PrintStream console = System.out;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(bytes, true, UTF_8));
      main.run();
    } finally {
      System.setOut(console);
    }
    return bytes.toString(UTF_8).replace(System.lineSeparator(), "\n");
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = TourTest.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), UTF_8);
    }
  }
}
