package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs all shared programs in several forms on each evaluator; skipped without the files. */
class SharedProgramsTest {
  private static final Path PROGRAMS =
      Path.of(System.getProperty("hlo4j.programs", "/work/shared/programs"));

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"reference, program.hlo.txt", "compiled, program.opt.hlo.txt"})
  void programsPass(String evaluator, String program) {
    assumeTrue(Files.isDirectory(PROGRAMS), "no programs in " + PROGRAMS);
    Cli cli = new Cli(folder);
    String programs = PROGRAMS.toString();
    Cli.Ran ran = cli.run("test", "-q", programs, "--program", program, "--evaluator", evaluator);
    assertThat(ran).isEqualTo(new Cli.Ran(0, "25 passed, 0 failed, 0 unsupported\n", ""));
  }

  /** What {@link #programsPass} leaves to the night. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({
    "reference, program.opt.hlo.txt",
    "compiled, program.hlo.txt",
    "compiled, program.hlo.pb",
    "compiled, program.stablehlo.mlir",
    "compiled, program.mlirbc"
  })
  void programsPassAtNight(String evaluator, String program) {
    programsPass(evaluator, program);
  }
}
