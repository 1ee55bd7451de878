package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands on XLA's CPU plugin in this process; skipped without the plugin. */
class PluginCommandsTest {
  private static final Path PROGRAMS =
      Path.of(System.getProperty("hlo4j.programs", "/work/shared/programs"));
  private static final Path EXPORTS = PROGRAMS.resolveSibling("exports");

  @TempDir Path folder;

  /** Returns the name of the evaluator; skips the test if there is no plugin. */
  private static String evaluator() {
    Optional<Path> plugin =
        Optional.ofNullable(System.getenv("HLO4J_PJRT_CPU_PLUGIN"))
            .or(() -> Optional.ofNullable(System.getProperty("hlo4j.pjrt.plugin")))
            .map(Path::of)
            .filter(Files::exists);
    assumeTrue(
        plugin.isPresent(),
        "no CPU plugin: .ci/pjrt-plugin fetches it, or -Dhlo4j.pjrt.plugin=FILE names one");
    return "pjrt:" + plugin.orElseThrow() + ",cpu_device_count=4";
  }

  private Cli cli() {
    return new Cli(folder).with("sum.hlo", Cli.SUM);
  }

  /** One form of those that hlo4j reads alike, and what XLA had made of it. */
  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(strings = {"program.hlo.txt", "program.opt.hlo.txt"})
  void sharedProgramsGiveWhatXlaRecorded(String program) {
    assumeTrue(Files.isDirectory(PROGRAMS), "no programs in " + PROGRAMS);
    cli()
        .run("test", "-q", PROGRAMS.toString(), "-p", program, "--evaluator", evaluator())
        .prints("25 passed, 0 failed, 0 unsupported\n");
  }

  @Test
  void sharedExportsGiveWhatJaxRecorded() {
    assumeTrue(Files.isDirectory(EXPORTS), "no exports in " + EXPORTS);
    cli()
        .run("test", "-q", EXPORTS.toString(), "--evaluator", evaluator())
        .prints("25 passed, 0 failed, 0 unsupported\n");
  }

  @Test
  void runAndRecord() {
    String evaluator = evaluator();
    cli()
        .run("run", "@/sum.hlo", "-i", "{1, 2, 3}", "10", "--evaluator", evaluator)
        .prints("f32[3] {21, 22, 23}\n");
    cli()
        .run("record", "@/sum.hlo", "-r", "1", "-o", "@/case", "--evaluator", evaluator)
        .prints("@/case: 2 inputs and 1 result\n");
    cli().run("test", "@/case").prints("ok case\n1 passed, 0 failed, 0 unsupported\n");
    cli()
        .run("run", "@/sum.hlo", "-r", "1", "--max-steps", "9", "--evaluator", evaluator)
        .fails("pjrt: maxSteps got a value, want none: a plugin does not count steps");
    cli()
        .run("trace", "@/sum.hlo", "-r", "1", "--evaluator", evaluator)
        .fails("pjrt: valueListener got a value, want none: a plugin shows no values");
  }

  @Test
  void programsOfSeveralDevices() {
    cli()
        .with("ids.hlo", "HloModule ids\nENTRY main { ROOT i = u32[] replica-id() }\n")
        .run("run", "@/ids.hlo", "--replicas", "4", "--evaluator", evaluator())
        .prints("device 0:\nu32[] 0\ndevice 1:\nu32[] 1\ndevice 2:\nu32[] 2\ndevice 3:\nu32[] 3\n");
  }

  @Test
  void measurements() {
    String evaluator = evaluator();
    Cli.Ran bench =
        cli()
            .run(
                "bench",
                "@/sum.hlo",
                "-r",
                "1",
                "-n",
                "2",
                "-w",
                "1",
                "--bind",
                "y",
                "--evaluator",
                "compiled," + evaluator);
    assertThat(bench.err()).isEmpty();
    assertThat(bench.out()).contains("compiled " + evaluator);
    assertThat(bench.out()).contains("bound            1 of 2 arguments");
    Cli.Ran profile =
        cli()
            .run("profile", "@/sum.hlo", "-r", "1", "-n", "2", "-w", "1", "--evaluator", evaluator);
    assertThat(profile.err()).isEmpty();
    assertThat(profile.out()).contains("pjrt cpu");
  }

  @Test
  void thePlanAndTheDevices() {
    String evaluator = evaluator();
    Cli.Ran plan = cli().run("explain", "@/sum.hlo", "--evaluator", evaluator);
    assertThat(plan.err()).isEmpty();
    assertThat(plan.out()).startsWith("pjrt cpu: /");
    assertThat(plan.out()).contains("  form: mlir: StableHLO ");
    Cli.Ran devices = cli().run("devices", evaluator.substring("pjrt:".length()));
    assertThat(devices.err()).isEmpty();
    assertThat(devices.out()).contains("platform        cpu, ");
    assertThat(devices.out()).contains("device 3        cpu, memories device, ");
    Cli.Ran json = cli().run("devices", evaluator, "--format", "json");
    assertThat(json.out()).contains("\"platform\": \"cpu\",");
    assertThat(json.out()).contains("\"id\": 3,");
  }
}
