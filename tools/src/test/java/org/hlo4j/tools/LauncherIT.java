package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.truth.Correspondence;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher as a process of its own, when the jars are there. */
class LauncherIT {
  private static final Path HOME = Path.of("").toAbsolutePath().getParent();
  private static final Path LAUNCHER = HOME.resolve("bin/hlo4j");

  @TempDir Path folder;

  @BeforeEach
  void jars() {
    assumeTrue(Files.isDirectory(HOME.resolve("tools/target/lib")), "not packaged yet");
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "no shell");
  }

  private Cli.Ran run(Path launcher, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("/bin/sh", launcher.toString()));
    command.addAll(List.of(arguments));
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().put("HLO4J_CACHE", folder.resolve("cache").toString());
    builder.environment().remove("JAVA_HOME");
    int status = builder.start().waitFor();
    return new Cli.Ran(status, Files.readString(out, UTF_8), Files.readString(err, UTF_8));
  }

  @Test
  void throughASymbolicLinkFromAnotherFolder() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link"), LAUNCHER);
    Path second = Files.createSymbolicLink(folder.resolve("second"), link.getFileName());
    Cli.Ran ran = run(second, "--version");
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).matches("hlo4j [0-9].*\nJava (2[5-9]|[3-9][0-9]).*\n");
    assertThat(ran.status()).isEqualTo(0);
  }

  @Test
  void runsWithAndWithoutTheArchiveOfTheFirstStart() throws Exception {
    Files.writeString(folder.resolve("sum file.hlo"), Cli.SUM);
    for (int start = 0; start < 2; start++) {
      assertThat(run(LAUNCHER, "run", "sum file.hlo", "-i", "f32[3] {1, 2, 3}", "-i", "f32[] 10"))
          .isEqualTo(new Cli.Ran(0, "f32[3] {21, 22, 23}\n", ""));
    }
    try (var archives = Files.list(folder.resolve("cache"))) {
      assertThat(archives.map(file -> file.getFileName().toString()).toList())
          .comparingElementsUsing(
              Correspondence.from(
                  (String name, String ending) -> name.endsWith(ending), "ends with"))
          .containsExactly(".jsa");
    }
  }

  @Test
  void oneLineAndTheStatus() throws Exception {
    assertThat(run(LAUNCHER, "run", "none.hlo"))
        .isEqualTo(new Cli.Ran(1, "", "hlo4j: none.hlo: no such file or directory\n"));
    assertThat(run(LAUNCHER, "print").status()).isEqualTo(2);
  }

  @Test
  void saysHowToBuild() throws Exception {
    Path elsewhere = folder.resolve("elsewhere/bin");
    Files.createDirectories(elsewhere);
    Path copy = Files.copy(LAUNCHER, elsewhere.resolve("hlo4j"));
    Path home = folder.resolve("elsewhere").toRealPath();
    assertThat(run(copy, "--version"))
        .isEqualTo(
            new Cli.Ran(
                1, "", "hlo4j: not built yet: run mvn -q package -DskipTests in " + home + "\n"));
  }
}
