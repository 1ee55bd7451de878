package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher as a process of its own, when the jars are there. */
class LauncherIT {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final Path LAUNCHER = HOME.resolve("bin/hlo4j");

  @TempDir Path folder;

  @BeforeEach
  void jars() {
    assumeTrue(Files.isDirectory(HOME.resolve("tools/target/lib")), "not packaged yet");
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "no shell");
  }

  private Cli.Ran run(Path launcher, String... arguments) throws Exception {
    return run(launcher, "", arguments);
  }

  private Cli.Ran run(Path launcher, String cache, String[] arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("/bin/sh", launcher.toString()));
    command.addAll(List.of(arguments));
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().put("HLO4J_CACHE", cache);
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

  /** The first start makes a cache in the background, which the next ones use. */
  @Test
  void runsWithAndWithoutTheCache() throws Exception {
    Files.writeString(folder.resolve("sum file.hlo"), Cli.SUM);
    Path cache = folder.resolve("cache");
    String[] command = {"run", "sum file.hlo", "-i", "f32[3] {1, 2, 3}", "-i", "f32[] 10"};
    Cli.Ran wanted = new Cli.Ran(0, "f32[3] {21, 22, 23}\n", "");
    assertThat(run(LAUNCHER, cache.toString(), command)).isEqualTo(wanted);
    for (int i = 0; i < 1200 && !names(cache).toString().matches("\\[\\S+\\.aot]"); i++) {
      Thread.sleep(100);
    }
    assertThat(names(cache)).hasSize(1);
    assertThat(run(LAUNCHER, cache.toString(), command)).isEqualTo(wanted);
    assertThat(names(cache)).hasSize(1);
  }

  /** Java says on stderr that it uses the Vector API; only then, and nothing else. */
  @Test
  void vectorsWhereTheyAreAskedFor() throws Exception {
    Files.writeString(folder.resolve("sum.hlo"), Cli.SUM);
    String[] inputs = {"run", "sum.hlo", "-i", "f32[3] {1, 2, 3}", "-i", "f32[] 10"};
    List<String> command = new ArrayList<>(List.of(inputs));
    command.addAll(List.of("--evaluator", "compiled"));
    Cli.Ran ran = run(LAUNCHER, command.toArray(String[]::new));
    assertThat(ran.out()).isEqualTo("f32[3] {21, 22, 23}\n");
    assertThat(ran.err()).matches("(WARNING: Using incubator modules: jdk.incubator.vector\n)?");
    assertThat(run(LAUNCHER, inputs).err()).isEmpty();
  }

  @Test
  void knowsTheDefaultEvaluator() throws Exception {
    assertThat(Files.readString(LAUNCHER, UTF_8))
        .contains("\nEVALUATOR=" + EvaluatorArguments.DEFAULT + "\n");
  }

  private static List<String> names(Path folder) throws Exception {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
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
                1,
                "",
                "hlo4j: not built yet: run mvn -ntp -Dquick -DskipTests package in "
                    + home
                    + "\n"));
  }
}
