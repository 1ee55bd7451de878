package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.hlo4j.tools.system.EvaluatorArguments;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Runs the launcher as a separate process; skipped if the jars are not built. */
@Tag("thorough")
@Execution(ExecutionMode.CONCURRENT)
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
    return run(command, cache);
  }

  private Cli.Ran run(List<String> command, String cache) throws Exception {
    int status = start(command, cache).waitFor();
    return ran(status);
  }

  private Process start(List<String> command, String cache) throws Exception {
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().put("HLO4J_CACHE", cache);
    // Too short a run for C2 to pay off, but explain tells what a server does, which has C2.
    String options = command.contains("explain") ? "" : "-XX:TieredStopAtLevel=1";
    builder.environment().put("HLO4J_OPTS", options);
    builder.environment().remove("JAVA_HOME");
    return builder.start();
  }

  private Cli.Ran ran(int status) throws Exception {
    return new Cli.Ran(
        status,
        Files.readString(folder.resolve("out"), UTF_8),
        Files.readString(folder.resolve("err"), UTF_8));
  }

  @Test
  void startsThroughSymbolicLinks() throws Exception {
    Path link = Files.createSymbolicLink(folder.resolve("link"), LAUNCHER);
    Path second = Files.createSymbolicLink(folder.resolve("second"), link.getFileName());
    Cli.Ran ran = run(second, "--version");
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).matches("hlo4j [0-9].*\nJava (2[5-9]|[3-9][0-9]).*\nvectors: .*\n");
    assertThat(ran.status()).isEqualTo(0);
  }

  /** The first start creates a cache in the background, which later starts use. */
  @Test
  @Tag("nightly")
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

  /** Java warns on stderr when the Vector API is used; otherwise stderr stays empty. */
  @Test
  void vectorWarningOnlyWithCompiledEvaluator() throws Exception {
    Files.writeString(folder.resolve("sum.hlo"), Cli.SUM);
    String[] inputs = {"run", "sum.hlo", "-i", "f32[3] {1, 2, 3}", "-i", "f32[] 10"};
    List<String> command = new ArrayList<>(List.of(inputs));
    command.addAll(List.of("--evaluator", "compiled"));
    Cli.Ran ran = run(LAUNCHER, command.toArray(String[]::new));
    assertThat(ran.out()).isEqualTo("f32[3] {21, 22, 23}\n");
    assertThat(ran.err()).matches("(WARNING: Using incubator modules: jdk.incubator.vector\n)?");
    assertThat(run(LAUNCHER, inputs).err()).isEmpty();
    assertThat(run(LAUNCHER, "bench", "--help").err()).isEmpty();
  }

  /** A server would have the Vector API, whatever this command starts with otherwise. */
  @Test
  void explainsWithVectors() throws Exception {
    Files.writeString(folder.resolve("sum.hlo"), Cli.SUM);
    assertThat(run(LAUNCHER, "explain", "sum.hlo").out())
        .contains("\nas a program runs it with --add-modules jdk.incubator.vector;");
  }

  @Test
  void runsAsJar() throws Exception {
    Files.writeString(folder.resolve("sum.hlo"), Cli.SUM);
    Path lib = HOME.resolve("tools/target/lib");
    String jar =
        names(lib).stream().filter(name -> name.startsWith("hlo4j-tools-")).findFirst().orElse("");
    List<String> command = new ArrayList<>();
    command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString()));
    command.addAll(List.of("-jar", lib.resolve(jar).toString()));
    command.addAll(List.of("run", "sum.hlo", "-i", "{1, 2, 3}", "10"));
    assertThat(run(command, "")).isEqualTo(new Cli.Ran(0, "f32[3] {21, 22, 23}\n", ""));
  }

  /** The layout of an unpacked archive, with the jars in lib. */
  @Test
  void runsFromUnpackedArchive() throws Exception {
    Files.createDirectories(folder.resolve("unpacked/bin"));
    Path copy = Files.copy(LAUNCHER, folder.resolve("unpacked/bin/hlo4j"));
    Files.createSymbolicLink(folder.resolve("unpacked/lib"), HOME.resolve("tools/target/lib"));
    assertThat(run(copy, "--version").status()).isEqualTo(0);
  }

  @Test
  void interruptReportsProgress() throws Exception {
    Files.writeString(
        folder.resolve("loop.hlo"),
        """
        HloModule loop
        body { i = s32[] parameter(0) one = s32[] constant(1) ROOT n = s32[] add(i, one) }
        forever { j = s32[] parameter(0) ROOT yes = pred[] constant(true) }
        ENTRY e { z = s32[] constant(0) ROOT w = s32[] while(z), condition=forever, body=body }
        """);
    // A shell ignores SIGINT in its background processes, which these tests may be.
    List<String> command =
        List.of("env", "--default-signal=INT", "/bin/sh", LAUNCHER.toString(), "trace", "loop.hlo");
    Process process = start(command, "");
    while (process.isAlive() && Files.size(folder.resolve("out")) == 0) {
      Thread.sleep(50);
    }
    new ProcessBuilder("kill", "-INT", "" + process.pid()).start().waitFor();
    boolean ended = process.waitFor(1, TimeUnit.MINUTES);
    process.destroyForcibly();
    assertWithMessage("ended within a minute").that(ended).isTrue();
    Cli.Ran ran = ran(process.exitValue());
    assertThat(ran.err())
        .matches("hlo4j: interrupted after \\d+\\.\\d s: running loop.hlo, [0-9,]+ steps done\n");
    assertThat(ran.status()).isEqualTo(130);
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
  void errorsPrintOneLineAndSetStatus() throws Exception {
    assertThat(run(LAUNCHER, "run", "none.hlo"))
        .isEqualTo(new Cli.Ran(1, "", "hlo4j: none.hlo: no such file or directory\n"));
    assertThat(run(LAUNCHER, "print").status()).isEqualTo(2);
  }

  @Test
  void missingJarsPrintBuildCommand() throws Exception {
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
