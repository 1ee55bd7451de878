package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.file.HloFiles;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.testing.Nightly;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs all shared programs after export from HLO to StableHLO; skipped without the files. */
class ExportProgramsTest {
  private static final Path PROGRAMS =
      Path.of(System.getProperty("hlo4j.programs", "/work/shared/programs"));

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"compiled, program.opt.hlo.txt, mlirbc"})
  void exportedProgramsPass(String evaluator, String program, String form) throws IOException {
    assumeTrue(Files.isDirectory(PROGRAMS), "no programs in " + PROGRAMS);
    List<Path> tried;
    try (Stream<Path> all = Files.list(PROGRAMS)) {
      tried = Nightly.some(3, program, all.filter(Files::isDirectory).sorted().toList());
    }
    for (Path from : tried) {
      export(from, program, form);
    }
    Cli.Ran ran =
        new Cli(folder)
            .run(
                "test",
                "-q",
                folder.toString(),
                "--program",
                "program." + form,
                "--evaluator",
                evaluator);
    assertThat(ran)
        .isEqualTo(new Cli.Ran(0, tried.size() + " passed, 0 failed, 0 unsupported\n", ""));
  }

  /** What {@link #exportedProgramsPass} leaves to the night. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({"reference, program.hlo.txt, mlir"})
  void exportedProgramsPassAtNight(String evaluator, String program, String form)
      throws IOException {
    exportedProgramsPass(evaluator, program, form);
  }

  private void export(Path from, String program, String form) throws IOException {
    Path to = folder.resolve(from.getFileName().toString());
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        if (!file.getFileName().toString().startsWith("program.")) {
          Files.copy(file, to.resolve(from.relativize(file).toString()));
        }
      }
    }
    Operation module =
        StableHlo.fromHlo(HloFiles.readModule(Files.readAllBytes(from.resolve(program))));
    byte[] bytes =
        form.equals("mlirbc")
            ? StableHlo.toArtifact(module, Optional.empty())
            : StableHlo.print(module).getBytes(UTF_8);
    Files.write(to.resolve("program." + form), bytes);
  }
}
