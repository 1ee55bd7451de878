package org.hlo4j.tools;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.hlo4j.testing.Nightly;
import org.hlo4j.tools.LauncherCase.Step;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Starts every command as users do, {@link LauncherCase}: each once by the launcher, by day some,
 * and each with all its options on the module path and in a runtime image, where all are run in one
 * process. Skipped if the jars are not built.
 */
@Tag("thorough")
@Execution(ExecutionMode.CONCURRENT)
final class CommandsIT {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final Path LIB = HOME.resolve("tools/target/lib");
  private static final Path JAVA_HOME = Path.of(System.getProperty("java.home"));
  private static final String SESSION = "org/hlo4j/tools/LauncherSession.class";

  /** One command of each kind that the launcher tells apart, but those that LauncherIT starts. */
  private static final Set<String> BY_DAY = Set.of("verify", "devices");

  @TempDir Path folder;

  @BeforeEach
  void prepare() throws IOException {
    assumeTrue(Files.isDirectory(LIB), "not packaged yet");
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "no shell");
    LauncherCase.writeFiles(folder);
  }

  @Test
  void byTheLauncher() throws Exception {
    Set<String> started = new HashSet<>();
    for (LauncherCase block : LauncherCase.all()) {
      boolean isTried = Nightly.isOn() || block.commands().anyMatch(BY_DAY::contains);
      boolean isNew = isTried && block.commands().anyMatch(command -> !started.contains(command));
      for (Step step : isNew ? block.steps() : ImmutableList.<Step>of()) {
        started.add(step.command());
        List<String> command = new ArrayList<>(List.of("/bin/sh", HOME + "/bin/hlo4j"));
        command.addAll(step.arguments());
        step.check(run(step.stdin(), command));
      }
    }
    if (Nightly.isOn()) {
      awaitCache();
    }
  }

  /** Waits for the processes that make the caches for the next starts. */
  private void awaitCache() throws Exception {
    boolean isMade = false;
    for (int i = 0; i < 1200 && !isMade; i++) {
      try (Stream<Path> files = Files.list(folder.resolve("cache"))) {
        isMade = files.allMatch(file -> file.toString().endsWith(".aot"));
      }
      TimeUnit.MILLISECONDS.sleep(isMade ? 0 : 100);
    }
    assertThat(isMade).isTrue();
  }

  /** The module path of the launcher. */
  @Test
  void onTheModulePath() throws Exception {
    checkSession(List.of(JAVA_HOME + "/bin/java", "-p", LIB.toString(), "-Dhlo4j.vectors=false"));
  }

  /** An image as {@code .ci/smoke/jlink} makes it. */
  @Test
  @Tag("nightly")
  void inRuntimeImage() throws Exception {
    List<String> jlink = new ArrayList<>(List.of(JAVA_HOME + "/bin/jlink"));
    jlink.addAll(List.of("--module-path", LIB.toString(), "--add-modules", "org.hlo4j.tools"));
    jlink.addAll(
        List.of(
            "--add-options=-Dhlo4j.vectors=false --enable-native-access=org.hlo4j.pjrt",
            "--strip-debug"));
    jlink.addAll(List.of("--launcher", "hlo4j=org.hlo4j.tools/org.hlo4j.tools.Hlo4j"));
    jlink.addAll(List.of("--no-header-files", "--no-man-pages", "--output", folder + "/image"));
    assertThat(run("empty", jlink)).isEqualTo(new Cli.Ran(0, "", ""));
    assertThat(run("empty", List.of("image/bin/hlo4j", "verify", "sum.hlo")))
        .isEqualTo(new Cli.Ran(0, "ok sum.hlo\n", ""));
    checkSession(List.of("image/bin/java"));
  }

  /** Runs all cases in one process of this Java, and checks them. */
  private void checkSession(List<String> java) throws Exception {
    ImmutableList<Step> steps =
        LauncherCase.all().stream()
            .flatMap(block -> block.steps().stream())
            .collect(toImmutableList());
    Path patch = folder.resolve("patch").resolve(SESSION);
    Files.createDirectories(patch.getParent());
    Files.copy(Path.of("target/test-classes").resolve(SESSION), patch);
    Path results = Files.createDirectory(folder.resolve("session"));
    Files.write(
        results.resolve("commands"),
        steps.stream()
            .map(step -> step.stdin() + "\t" + String.join("\t", step.arguments()))
            .toList());
    List<String> command = new ArrayList<>(java);
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of("--patch-module", "org.hlo4j.tools=patch", "-m"));
    command.addAll(List.of("org.hlo4j.tools/org.hlo4j.tools.LauncherSession", "session/commands"));
    assertThat(run("empty", command)).isEqualTo(new Cli.Ran(0, "", ""));
    for (int i = 0; i < steps.size(); i++) {
      int status = Integer.parseInt(Files.readString(results.resolve(i + ".status")));
      steps.get(i).check(ran(status, results.resolve(i + ".out"), results.resolve(i + ".err")));
    }
  }

  private Cli.Ran run(String stdin, List<String> command) throws Exception {
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectInput(folder.resolve(stdin).toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().put("HLO4J_JAVA_HOME", JAVA_HOME.toString());
    // With caches the launcher starts in a third of the time; for few commands they take longer to
    // make.
    String cache = Nightly.isOn() ? folder.resolve("cache").toString() : "";
    builder.environment().put("HLO4J_CACHE", cache);
    builder.environment().put("HLO4J_OPTS", "-XX:TieredStopAtLevel=1");
    return ran(builder.start().waitFor(), out, err);
  }

  /** The output may be no text: serve answers in bytes. */
  private static Cli.Ran ran(int status, Path out, Path err) throws IOException {
    return new Cli.Ran(
        status, new String(Files.readAllBytes(out), UTF_8), Files.readString(err, UTF_8));
  }
}
