package org.hlo4j.hlo.text;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Real programs, if available: text that XLA printed is parsed and printed unchanged. */
final class SharedProgramsTest {
  private static final Path PROGRAMS =
      Path.of(System.getProperty("hlo4j.programs", "/work/shared/programs"));

  static List<Path> programs(String name) throws IOException {
    assumeTrue(Files.isDirectory(PROGRAMS), "no programs in " + PROGRAMS);
    try (Stream<Path> folders = Files.list(PROGRAMS)) {
      return folders.map(folder -> folder.resolve(name)).filter(Files::exists).sorted().toList();
    }
  }

  private static void assertAllRead(String name) throws IOException {
    List<Path> files = programs(name);
    assertThat(files).isNotEmpty();
    for (Path file : files) {
      String text = Files.readString(file);
      HloModule module = Parser.parse(text);
      Verifier.lenient().verify(module);
      assertThat(asXla(Printer.print(module))).isEqualTo(text.strip());
      for (PrintOptions form : List.of(PrintOptions.SHORT_PARSABLE, PrintOptions.CANONICAL)) {
        String printed = Printer.print(module, form);
        assertThat(Printer.print(Parser.parse(printed), form)).isEqualTo(printed);
      }
    }
  }

  /** Writes negative zeros as XLA does, {@code -0}, which XLA reads back as 0. */
  private static String asXla(String text) {
    return text.strip().replaceAll("-0\\.0(?=[,) }])", "-0");
  }

  @Test
  void beforeOptimisation() throws IOException {
    assertAllRead("program.hlo.txt");
  }

  @Tag("nightly")
  @Test
  void afterOptimisation() throws IOException {
    assertAllRead("program.opt.hlo.txt");
  }
}
