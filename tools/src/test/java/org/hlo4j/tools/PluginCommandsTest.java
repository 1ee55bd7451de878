package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.pjrt.Pjrt;
import org.hlo4j.stablehlo.jax.JaxExport;
import org.hlo4j.stablehlo.jax.JaxFunction;
import org.hlo4j.tools.system.PjrtEvaluators;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands on XLA's CPU plugin in this process; skipped without the plugin. */
@Tag("slow")
public class PluginCommandsTest {
  private static final Path PROGRAMS =
      Path.of(System.getProperty("hlo4j.programs", "/work/shared/programs"));
  private static final Path EXPORTS = PROGRAMS.resolveSibling("exports");

  @TempDir Path folder;

  /** Returns the name of the evaluator; skips the test if there is no plugin. */
  public static String evaluator() {
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

  /** One form of those that hlo4j reads alike. */
  @Test
  @Tag("thorough")
  void sharedProgramsGiveWhatXlaRecorded() {
    sharedProgramsGiveWhatXlaRecorded("program.hlo.txt");
  }

  @Test
  @Tag("nightly")
  void whatXlaHadMadeOfThemGivesTheSame() {
    sharedProgramsGiveWhatXlaRecorded("program.opt.hlo.txt");
  }

  private void sharedProgramsGiveWhatXlaRecorded(String program) {
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

  /** A custom call that hlo4j does not know is the plugin's to refuse. */
  @ParameterizedTest
  @ValueSource(strings = {"run", "explain", "profile"})
  void customCallsAreThePluginsToKnow(String command) {
    String evaluator = evaluator();
    Cli cli =
        cli()
            .with(
                "mine.hlo",
                """
                HloModule c
                ENTRY e {
                  x = f32[] constant(1)
                  ROOT y = f32[] custom-call(x), custom_call_target="mine", api_version=API_VERSION_TYPED_FFI
                }
                """);
    assertThat(cli.run(command, "@/mine.hlo", "--evaluator", evaluator).err())
        .startsWith(
            "hlo4j: @/mine.hlo: PJRT_Client_Compile: NOT_FOUND: No FFI handler registered for mine"
                + " on a platform Host");
  }

  /** What XLA made of a program, as any command shows it. */
  @Test
  void optimizedPrograms() {
    String evaluator = evaluator();
    assertThat(cli().run("print", "@/sum.hlo", "--optimized", evaluator).out())
        .contains("f32[3]{0} fusion(");
    assertThat(cli().run("print", "@/sum.hlo", "-f", "html", "--optimized", evaluator).out())
        .contains("fusion");
    assertThat(cli().run("summary", "@/sum.hlo", "--optimized", evaluator).out())
        .contains("\n  fusion     1\n");
    Cli.Ran diff = cli().run("diff", "@/sum.hlo", "--optimized", evaluator, "--flatten");
    assertThat(diff.out()).contains("\nof those in both, 0 are in fusions of A, 4 in fusions of B");
    assertThat(diff.status()).isEqualTo(1);
    Cli.Ran alike =
        cli()
            .with("twice.hlo", Cli.SUM.replace("multiply(y, two)", "add(y, y)"))
            .run("diff", "@/sum.hlo", "@/twice.hlo", "--optimized", evaluator);
    assertThat(alike.out()).contains("- multiply f32[] (");
    cli()
        .run("diff", "@/sum.hlo")
        .isRefused("got 1 program, want 2, or --optimized; see hlo4j diff --help");
    cli()
        .run("print", "@/sum.hlo", "--optimized", "cpu")
        .fails("@/sum.hlo: plugin: got cpu, want its name or its file, such as pjrt:cpu");
  }

  /** Of all partitions together, and of one of them: each for the devices in its header. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "x = f32[8] parameter(0), sharding={devices=[4]<=[4]}  ROOT n = f32[8] negate(x)",
        "x = f32[2] parameter(0)  ROOT n = f32[2] collective-permute(x), channel_id=1,"
            + " source_target_pairs={{0,1},{1,0}}"
      })
  void optimizedProgramsOfPartitions(String body) {
    String evaluator = evaluator();
    Cli.Ran print =
        cli()
            .with("parts.hlo", "HloModule p, num_partitions=4\nENTRY e { " + body + " }\n")
            .run("print", "@/parts.hlo", "--optimized", evaluator);
    assertThat(print.err()).isEmpty();
    assertThat(print.out()).contains("param = f32[2]{0} parameter(0)");
  }

  /** XLA:CPU of 0.81 counts the bits of 4-bit integers in 8. */
  private static final String BITS =
      """
      HloModule bits
      ENTRY main {
        x = s4[3] parameter(0)
        n = s4[3] not(x)
        c = s4[3] popcnt(n)
        ROOT s = s4[3] add(c, x)
      }
      """;

  @Test
  void theWrongInstructionIsLocated() {
    Cli.Ran compare =
        cli()
            .with("bits.hlo", BITS)
            .run(
                "compare",
                "@/bits.hlo",
                "-i",
                "{1, -2, 3}",
                "--locate",
                "--evaluator",
                evaluator());
    assertThat(compare.err()).isEmpty();
    assertThat(compare.status()).isEqualTo(1);
    assertThat(compare.out())
        .contains("\nfirst wrong instruction: %c = s4[3] popcnt(%n)\n  operands: n: s4[3]\n");
  }

  @Test
  void aProgramShrinksToTheWrongInstruction() {
    Cli.Ran shrink =
        cli()
            .with("bits.hlo", BITS)
            .run(
                "shrink",
                "@/bits.hlo",
                "-i",
                "{1, -2, 3}",
                "--differs",
                "--evaluator",
                evaluator());
    assertThat(shrink.status()).isEqualTo(0);
    assertThat(shrink.out())
        .containsMatch(
            "(?s)%p0 = s4\\[1\\]\\{0\\} parameter\\(0\\)\\n"
                + "  ROOT %\\w+ = s4\\[1\\]\\{0\\} popcnt\\(%p0\\)\n"
                + "}");
  }

  /** A function of an open batch size: a program for each size that is met. */
  @Test
  void functionsOfJaxExport() throws IOException {
    String evaluator = evaluator();
    assumeTrue(Files.isDirectory(EXPORTS), "no exports in " + EXPORTS);
    Evaluator plugin = Pjrt.evaluator(PjrtEvaluators.client(evaluator));
    JaxExport export = JaxExport.read(EXPORTS.resolve("batch_mlp/export.bin"));
    JaxFunction onPlugin = function(export, plugin);
    JaxFunction reference = function(export, Interpreter.reference());
    for (int rows : new int[] {1, 3, 1}) {
      Literal x = Literal.full(Shape.of(ElementType.F32, rows, 8), 0.25);
      float[] want = ((Literal) reference.call(x)).toFloats();
      assertThat(((Literal) onPlugin.call(x)).toFloats())
          .usingTolerance(1e-5)
          .containsExactly(want)
          .inOrder();
    }
    assertThat(
            assertThrows(
                HloException.class,
                () -> onPlugin.call(Literal.zeros(Shape.of(ElementType.F32, 3, 7)))))
        .hasMessageThat()
        .contains("got f32[3,7]");
  }

  private static JaxFunction function(JaxExport export, Evaluator evaluator) {
    return new JaxFunction(export, (module, bound) -> evaluator.compile(module).bind(bound)::run);
  }
}
