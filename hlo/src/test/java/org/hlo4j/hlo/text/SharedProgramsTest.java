package org.hlo4j.hlo.text;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.junit.jupiter.api.Test;

/** Real programs, where they are at hand: what XLA prints is read, and printed as it was. */
final class SharedProgramsTest {
  private static final Path PROGRAMS =
      Path.of(System.getProperty("hlo4j.programs", "/work/shared/programs"));

  private static List<Path> programs(String name) throws IOException {
    assumeTrue(Files.isDirectory(PROGRAMS), "no programs in " + PROGRAMS);
    try (Stream<Path> folders = Files.list(PROGRAMS)) {
      return folders.map(folder -> folder.resolve(name)).filter(Files::exists).sorted().toList();
    }
  }

  /** Whether all opcodes are known; then the text must come through whole. */
  private static boolean roundTrips(Path file) throws IOException {
    String text = Files.readString(file);
    try {
      HloModule module = Parser.parse(text);
      Verifier.lenient().verify(module);
      assertThat(alike(Printer.print(module))).isEqualTo(alike(text));
      return true;
    } catch (HloException refusal) {
      assertThat(refusal).hasMessageThat().contains("got the unknown opcode ");
      return false;
    }
  }

  /**
   * Constants are laid out otherwise: XLA numbers the rows from rank 4 on, puts no blanks around a
   * single element, and prints -0, which it reads back as 0, where ours is -0.0.
   */
  private static String alike(String text) {
    return text.strip()
        .replaceAll("/\\*i\\d+=\\d+\\*/ ", "")
        .replace("{ ", "{")
        .replace(" }", "}")
        .replaceAll("-0\\.0(?=[,) ])", "-0");
  }

  private static void assertAllRead(String name) throws IOException {
    List<Path> files = programs(name);
    int whole = 0;
    for (Path file : files) {
      whole += roundTrips(file) ? 1 : 0;
    }
    System.out.println(name + ": " + whole + " of " + files.size() + " use known opcodes only");
  }

  @Test
  void beforeOptimisation() throws IOException {
    assertAllRead("program.hlo.txt");
  }

  @Test
  void afterOptimisation() throws IOException {
    assertAllRead("program.opt.hlo.txt");
  }
}
