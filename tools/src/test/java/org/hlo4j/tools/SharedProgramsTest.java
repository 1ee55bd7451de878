package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All real programs, where they are at hand, in each form they are there in. */
class SharedProgramsTest {
  private static final Path PROGRAMS =
      Path.of(System.getProperty("hlo4j.programs", "/work/shared/programs"));

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"program.hlo.txt", "program.opt.hlo.txt", "program.hlo.pb"})
  void pass(String program) {
    assumeTrue(Files.isDirectory(PROGRAMS), "no programs in " + PROGRAMS);
    Cli.Ran ran = new Cli(folder).run("test", "-q", PROGRAMS.toString(), "--program", program);
    assertThat(ran).isEqualTo(new Cli.Ran(0, "25 passed, 0 failed, 0 unsupported\n", ""));
  }
}
