package org.hlo4j.pjrt;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.child.ChildCommand;
import org.hlo4j.interpreter.child.ChildEvaluator;
import org.hlo4j.interpreter.child.ChildMain;
import org.hlo4j.interpreter.child.ChildSystem;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The ways in which a plugin ends its process, on XLA's CPU plugin. */
@Tag("slow")
final class PjrtEvaluatorTest {
  private static @Nullable PjrtEvaluator evaluator;

  /** Before what a test expects to be thrown, which an assumption is not. */
  @BeforeEach
  void skipWithoutPlugin() {
    CpuPlugin.file();
  }

  /** One evaluator for all tests: its process is started anew after each that ends it. */
  private static synchronized PjrtEvaluator evaluator() {
    if (evaluator == null) {
      evaluator = PjrtEvaluator.isolated(CpuPlugin.file(), PjrtOptions.DEFAULT);
    }
    return evaluator;
  }

  @AfterAll
  static void close() {
    if (evaluator != null) {
      evaluator.close();
    }
  }

  private static final HloModule ADD =
      Parser.parse("HloModule add ENTRY e { x = f32[] parameter(0)  ROOT s = f32[] add(x, x) }");

  private static void assertWorks(Evaluator evaluator) {
    assertThat(evaluator.run(ADD, Literal.of(1.5f))).isEqualTo(Literal.of(3f));
  }

  private static String fact(HloException of, String name) {
    return of.facts().stream()
        .filter(each -> each.name().equals(name))
        .map(HloException.Fact::text)
        .findFirst()
        .orElse("");
  }

  @Test
  void failedCheckIsAnExceptionWithItsReason() {
    HloModule module =
        Parser.parse(
            """
            HloModule slice
            ENTRY e {
              x = f32[4,4] parameter(0)
              ROOT s = (f32[4,4], s32[4], s32[]) custom-call(x), custom_call_target="SliceToDynamic"
            }
            """);
    Literal zeros = Literal.zeros((Shape.Array) Shape.parse("f32[4,4]"));
    HloException ended = assertThrows(HloException.class, () -> evaluator().run(module, zeros));
    assertThat(ended.summary())
        .isEqualTo(
            "child: ended with status 134 (SIGABRT) while compiling slice: shape_util.cc:966]"
                + " Check failed: pointer_size > 0 (-1 vs. 0)");
    assertThat(fact(ended, "ended"))
        .isEqualTo("ended with status 134 (SIGABRT) while compiling at shape_util.cc:966");
    assertThat(fact(ended, "stderr")).contains("EmitSliceToDynamic");
    assertThat(ended.kind()).isEqualTo(HloException.Kind.ENDED);
    assertWorks(evaluator());
  }

  /** The plugin, with a question that calls it with a handle that is none. */
  static final class WrongHandle implements ChildSystem {
    /** Serves it. */
    public static void main(String[] none) {
      ChildMain.serve(new WrongHandle());
    }

    @Override
    public Evaluator evaluator(ImmutableMap<String, Object> options) {
      return Interpreter.reference();
    }

    @Override
    public String answer(String plugin, byte[] data) {
      PjrtPlugin.load(Path.of(plugin))
          .api()
          .call("PJRT_Buffer_Dimensions")
          .set("buffer", 64)
          .invoke();
      return "";
    }
  }

  @Test
  void crashIsAnExceptionWithItsPlace() {
    String plugin = CpuPlugin.file().toString();
    try (ChildEvaluator child =
        new ChildEvaluator(
            new ChildEvaluator.Settings(
                ChildCommand.of(WrongHandle.class, Map.of(), List.of()),
                ImmutableMap.of(),
                1,
                Duration.ofMinutes(1),
                Duration.ofMinutes(1)))) {
      HloException ended =
          assertThrows(HloException.class, () -> child.answer(plugin, new byte[0]));
      assertThat(ended.summary())
          .isEqualTo(
              "child: ended with SIGSEGV while being asked to " + plugin + ": SIGSEGV (0xb)");
      assertThat(fact(ended, "ended"))
          .matches("ended with SIGSEGV while being asked to at xla_cpu_pjrt\\.so\\+0x\\p{XDigit}+");
    }
  }

  @Test
  void overflowOfTheStackIsAnExceptionThoughNobodySaysAWord() {
    PjrtEvaluator.Isolation small =
        PjrtEvaluator.Isolation.DEFAULT.withJavaOptions(
            ImmutableList.of("-Dhlo4j.pjrt.stack=" + (1 << 19)));
    HloModule nested = Parser.parse(nested(100));
    try (PjrtEvaluator evaluator =
        PjrtEvaluator.isolated(CpuPlugin.file(), PjrtOptions.DEFAULT, small)) {
      HloException ended =
          assertThrows(HloException.class, () -> evaluator.run(nested, Literal.of(1f)));
      assertThat(ended.summary())
          .isEqualTo("child: ended with status 139 (SIGSEGV) while compiling nested");
      assertThat(ended.kind()).isEqualTo(HloException.Kind.ENDED);
      assertWorks(evaluator);
    }
    assertThat(evaluator().run(nested, Literal.of(1f))).isEqualTo(Literal.of(-1f));
  }

  /** Conditionals in each other, whose innermost negates. */
  private static String nested(int depth) {
    StringBuilder text =
        new StringBuilder(
            """
            HloModule nested
            other { x = f32[] parameter(0)  ROOT a = f32[] abs(x) }
            c0 { x = f32[] parameter(0)  ROOT n = f32[] negate(x) }
            """);
    for (int i = 1; i <= depth; i++) {
      text.append("c").append(i);
      text.append(" { x = f32[] parameter(0)  z = f32[] constant(0)");
      text.append("  p = pred[] compare(x, z), direction=GT  ROOT r = f32[] conditional(p, x, x),");
      text.append(" true_computation=c").append(i - 1).append(", false_computation=other }\n");
    }
    return text
        + "ENTRY e { x = f32[] parameter(0)  ROOT c = f32[] call(x), to_apply=c"
        + depth
        + " }";
  }

  @Test
  void unknownFlagsAreToldWhereTheProcessStarts() {
    PjrtEvaluator.Isolation flags =
        PjrtEvaluator.Isolation.DEFAULT.withEnvironment("XLA_FLAGS", "--xla_nothing");
    HloException ended =
        assertThrows(
            HloException.class,
            () -> PjrtEvaluator.isolated(CpuPlugin.file(), PjrtOptions.DEFAULT, flags).close());
    assertThat(ended.summary())
        .isEqualTo(
            "child: cannot be started: child: ended with status 1 while starting:"
                + " parse_flags_from_env.cc:234] Unknown flag in XLA_FLAGS: --xla_nothing");
    assertThat(ended.kind()).isEqualTo(HloException.Kind.IO);
  }

  @Test
  void endlessRunIsStopped() {
    HloModule endless =
        Parser.parse(
            """
            HloModule endless
            always { x = f32[] parameter(0)  ROOT t = pred[] constant(true) }
            next { x = f32[] parameter(0)  ROOT a = f32[] add(x, x) }
            ENTRY e { x = f32[] parameter(0)  ROOT w = f32[] while(x), condition=always, body=next }
            """);
    try (PjrtEvaluator brief =
        PjrtEvaluator.isolated(
            CpuPlugin.file(),
            PjrtOptions.DEFAULT,
            PjrtEvaluator.Isolation.DEFAULT.withDeadline(Duration.ofSeconds(8)))) {
      Executable program = brief.compile(endless);
      HloException late = assertThrows(HloException.class, () -> program.run(Literal.of(1f)));
      assertThat(late)
          .hasMessageThat()
          .isEqualTo(
              "child: stopped after 8000 ms while running endless, want an answer in that time");
      assertWorks(brief);
    }
  }

  @Test
  void refusalsOfThePluginKeepTheirCode() {
    HloModule module =
        Parser.parse(
            """
            HloModule unknown
            ENTRY e { x = f32[4] parameter(0)
              ROOT s = f32[4] custom-call(x), custom_call_target="nothing",
                  api_version=API_VERSION_TYPED_FFI }
            """);
    PjrtException refused = assertThrows(PjrtException.class, () -> evaluator().compile(module));
    assertThat(refused.code()).isEqualTo(PjrtException.Code.NOT_FOUND);
    assertThat(refused.summary()).contains("No FFI handler registered for nothing");
  }

  @Test
  void pluginJudgesWhatTheVerifierRefuses() {
    HloModule wrong =
        Parser.parse(
            "HloModule wrong ENTRY e { x = f32[2] parameter(0)  y = f32[3] parameter(1)"
                + "  ROOT s = f32[2] add(x, y) }");
    assertThrows(HloException.class, () -> Verifier.lenient().verify(wrong));
    PjrtException refused =
        assertThrows(PjrtException.class, () -> evaluator().requireCompiles(wrong));
    assertThat(refused.summary()).startsWith("PJRT_Client_Compile: INVALID_ARGUMENT: ");
    evaluator().requireCompiles(ADD);
  }

  @Test
  void optionsReachTheClient() {
    PjrtOptions three = PjrtOptions.DEFAULT.with("cpu_device_count", 3);
    try (PjrtEvaluator evaluator = PjrtEvaluator.isolated(CpuPlugin.file(), three)) {
      HloModule replicas =
          Parser.parse(
              """
              HloModule replicas, replica_count=3
              add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
              ENTRY e { x = f32[] parameter(0)  ROOT s = f32[] all-reduce(x), to_apply=add }
              """);
      List<List<Literal>> arguments =
          List.of(List.of(Literal.of(1f)), List.of(Literal.of(2f)), List.of(Literal.of(4f)));
      assertThat(evaluator.runOnDevices(replicas, new DeviceGrid(3, 1), arguments))
          .containsExactly(Literal.of(7f), Literal.of(7f), Literal.of(7f));
    }
  }

  @Test
  void wrongSettingsAreRefused() {
    assertThat(
            assertThrows(
                HloException.class, () -> PjrtEvaluator.Isolation.DEFAULT.withProcesses(0)))
        .hasMessageThat()
        .isEqualTo("isolation: processes got 0, want at least 1");
    assertThat(
            assertThrows(
                HloException.class,
                () -> PjrtEvaluator.isolated(Path.of("/nowhere/plugin.so"), PjrtOptions.DEFAULT)))
        .hasMessageThat()
        .isEqualTo(
            "child: cannot be started: plugin: got /nowhere/plugin.so, which is no file, want one");
  }

  /** P35: flags of the environment end the process that makes the first client. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --xla_nonsense=1                 | Unknown flag in XLA_FLAGS: --xla_nonsense=1
          --xla_cpu_enable_fast_math=maybe | Check failed: tsl::Flags::Parse(&env_argv->argc, env_argv->argv.data(), flag_list) Flag parsing failed.
          /nowhere/flags                   | Could not open file "/nowhere/flags" to read flags for environment variable "XLA_FLAGS". (We assumed "/nowhere/flags" was a file name because it did not start with a "--".)
          """)
  void flagsOfTheEnvironmentThatAreRefused(String flags, String reason) {
    HloException refused =
        assertThrows(
            HloException.class, () -> IsolatedPlugin.requireFlags(CpuPlugin.file(), flags));
    assertThat(refused.summary().replaceAll("\\w+.cc:\\d+] ", ""))
        .isEqualTo(
            "plugin: got XLA_FLAGS="
                + flags
                + ", want flags that it knows; child: ended with status 1 while starting: "
                + reason);
    assertThat(refused.kind()).isEqualTo(HloException.Kind.ENDED);
  }

  @Test
  void flagsOfTheEnvironmentThatAreTaken() {
    IsolatedPlugin.requireFlags(CpuPlugin.file(), "--xla_cpu_enable_fast_math=false");
    IsolatedPlugin.requireFlags(CpuPlugin.file(), " ");
    IsolatedPlugin.requireFlags(Path.of("/nowhere/plugin.so"), "--any"); // load says why
  }

  /** P14: a device that never comes ends the process, after the time in the environment. */
  @Test
  void collectivesDoNotWaitForEver() {
    HloModule waits =
        Parser.parse(
            """
            HloModule waits, replica_count=2
            add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
            body { p = (f32[], u32[]) parameter(0)
              x = f32[] get-tuple-element(p), index=0
              r = u32[] get-tuple-element(p), index=1
              y = f32[] sine(x)
              ROOT t = (f32[], u32[]) tuple(y, r) }
            cond { p = (f32[], u32[]) parameter(0)
              r = u32[] get-tuple-element(p), index=1
              z = u32[] constant(0)
              ROOT c = pred[] compare(r, z), direction=EQ }
            ENTRY e { x = f32[] parameter(0)
              r = u32[] replica-id()
              t = (f32[], u32[]) tuple(x, r)
              w = (f32[], u32[]) while(t), condition=cond, body=body
              y = f32[] get-tuple-element(w), index=0
              ROOT s = f32[] all-reduce(y), to_apply=add }
            """);
    PjrtEvaluator.Isolation brief =
        PjrtEvaluator.Isolation.DEFAULT.withEnvironment(
            "XLA_FLAGS",
            "--xla_cpu_collective_call_warn_stuck_timeout_seconds=1"
                + " --xla_cpu_collective_call_terminate_timeout_seconds=1");
    PjrtOptions two = PjrtOptions.DEFAULT.with("cpu_device_count", 2);
    List<Literal> one = List.of(Literal.of(1f));
    try (PjrtEvaluator evaluator = PjrtEvaluator.isolated(CpuPlugin.file(), two, brief)) {
      HloException ended =
          assertThrows(
              HloException.class,
              () -> evaluator.runOnDevices(waits, new DeviceGrid(2, 1), List.of(one, one)));
      assertThat(ended.kind()).isEqualTo(HloException.Kind.ENDED);
      assertThat(ended.summary())
          .startsWith("child: ended with status 134 (SIGABRT) while running waits: rendezvous.cc:");
      assertThat(ended.summary())
          .endsWith(
              " of 1 seconds exceeded. Exiting to ensure a consistent program state. Expected 2"
                  + " threads to join the rendezvous, but only 1 of them arrived on time.");
    }
    assertThat(
            assertThrows(
                HloException.class,
                () ->
                    PjrtCompileOptions.DEFAULT.withFlag(
                        "xla_cpu_collective_call_terminate_timeout_seconds", 1)))
        .hasMessageThat()
        .isEqualTo(
            "pjrt: the flag xla_cpu_collective_call_terminate_timeout_seconds got a value for a"
                + " program, want it in XLA_FLAGS, where XLA looks for it");
  }
}
