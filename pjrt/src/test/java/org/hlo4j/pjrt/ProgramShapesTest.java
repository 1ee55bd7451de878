package org.hlo4j.pjrt;

import static com.google.common.truth.Truth.assertThat;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.pjrt.CpuPlugin.refusal;

import com.google.common.collect.ImmutableList;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.pjrt.PjrtCompileOptions.Partitioner;
import org.hlo4j.pjrt.binding.Api;
import org.hlo4j.pjrt.binding.Call;
import org.hlo4j.pjrt.binding.FakePlugin;
import org.hlo4j.pjrt.binding.FakePlugin.Sizes;
import org.hlo4j.stablehlo.StableHlo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a program takes and gives: by the plugin's optimized program, or, if it gives none, by the
 * program itself. The plugin's own functions end the process for types that are newer than it.
 */
final class ProgramShapesTest {
  private static final HloModule TWICE =
      Parser.parse(
          "HloModule twice\nENTRY e { x = f32[2] parameter(0)  ROOT s = f32[2] add(x, x) }");

  private static byte[] hlo(String body) {
    return HloProtos.writeModule(Parser.parse("HloModule m\nENTRY e { " + body + " }"));
  }

  /** P11: types that came with 0.94, in a program of another system. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          s1 | x = s1[3] parameter(0)  ROOT y = s32[3] convert(x)
          u1 | x = s32[3] parameter(0)  ROOT y = u1[3] convert(x)
          u1 | ROOT x = u1[3] parameter(0)
          u1 | x = s32[3] parameter(0)  y = u1[3] convert(x)  ROOT t = (s32[3], u1[3]) tuple(x, y)
          s1 | x = (s32[3], s1[3]) parameter(0)  ROOT y = s32[3] get-tuple-element(x), index=0
          """)
  void typesThatAreNewerThanThePlugin(String type, String body) {
    PjrtClient client = CpuPlugin.client();
    String want =
        "pjrt: got elements of type TYPE, which plugins have since 0.94, want one that version 0.81"
            + " has";
    assertThat(refusal(() -> client.compile(hlo(body), "hlo", PjrtCompileOptions.DEFAULT)))
        .isEqualTo(want.replace("TYPE", type));
    byte[] serialized = serialized(client, hlo(body));
    assertThat(refusal(() -> client.load(serialized))).isEqualTo(want.replace("TYPE", type));
  }

  /** Returns a compiled program as another system would serialize it. */
  private static byte[] serialized(PjrtClient client, byte[] program) {
    Api api = client.api;
    byte[] options = PjrtCompileOptions.DEFAULT.toProto();
    try (Arena arena = Arena.ofConfined();
        Call compile = api.call("PJRT_Client_Compile");
        Call serialize = api.call("PJRT_Executable_Serialize")) {
      compile
          .set(client.handle.pointer())
          .set(
              "program",
              api.struct("PJRT_Program", arena)
                  .set("code", program, arena)
                  .set("format", "hlo".getBytes(java.nio.charset.StandardCharsets.UTF_8), arena))
          .set("compile_options", options, arena)
          .invoke();
      MemorySegment loaded = compile.pointer("executable");
      MemorySegment executable =
          client.ask(
              "PJRT_LoadedExecutable_GetExecutable", loaded, call -> call.pointer("executable"));
      return serialize.set(executable).invoke().bytes("serialized_bytes", "serialized_bytes_size");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          t = token[] after-all()  ROOT r = (token[], f32[2]) tuple(t, x)     | (token[], f32[2]{0})
          ROOT t = token[] after-all()                                        | token[]
          t = (f32[2]) tuple(x)  ROOT r = ((f32[2]), f32[2]) tuple(t, x)      | ((f32[2]{0}), f32[2]{0})
          """)
  void resultsThatAreNoArrays(String body, String result) {
    byte[] program = hlo("x = f32[2] parameter(0)  " + body);
    assertThat(
            refusal(() -> CpuPlugin.client().compile(program, "hlo", PjrtCompileOptions.DEFAULT)))
        .isEqualTo(
            "pjrt: got a program of which the result is "
                + result
                + ", want arrays of static sizes");
  }

  /** Returns a plugin that compiles all programs and runs none. */
  static FakePlugin compiler() {
    MemorySegment devices = Arena.global().allocate(8, 8);
    devices.set(JAVA_LONG, 0, 70);
    return PjrtPluginTest.pluginWithOneArray(
            81, Sizes.AT_LEAST, 0, Arena.global().allocate(64, 64), new AtomicInteger())
        .with("PJRT_Client_Compile", call -> call.set("executable", 80))
        .with("PJRT_Executable_DeserializeAndLoad", call -> call.set("loaded_executable", 80))
        .with("PJRT_LoadedExecutable_GetExecutable", call -> call.set("executable", 81))
        .with("PJRT_Executable_Name", call -> call.set("executable_name", "fake"))
        .with("PJRT_Executable_Destroy", call -> {})
        .with("PJRT_LoadedExecutable_Destroy", call -> {})
        .with(
            "PJRT_LoadedExecutable_AddressableDevices",
            call -> {
              call.set("addressable_devices", devices.address());
              call.set("num_addressable_devices", 1);
            });
  }

  private static PjrtClient client(FakePlugin plugin) {
    return PjrtPlugin.of(Path.of("fake.so"), plugin.table(), ImmutableList.builder()).client();
  }

  /** P2 and P3, on a plugin that does not give its optimized programs. */
  @ParameterizedTest
  @CsvSource({"module", "text", "artifact", "proto"})
  void argumentsAreComparedWithTheProgramItself(String form) {
    try (PjrtClient client = client(compiler());
        PjrtExecutable twice = compiled(client, form);
        PjrtBuffer ints = client.buffer(Literal.of(new int[] {1, 2}));
        PjrtBuffer row = client.buffer(Literal.of(new float[][] {{1, 2}}))) {
      assertThat(twice.toString().replace("{0}", ""))
          .isEqualTo("[f32[2]] -> [f32[2]] on [device 7]");
      assertThat(refusal(() -> twice.execute(List.of(ints))))
          .isEqualTo("execute: argument 0 got s32[2], want f32[2]");
      assertThat(refusal(() -> twice.execute(List.of(row))))
          .isEqualTo("execute: argument 0 got f32[1,2], want f32[2]");
      assertThat(refusal(() -> twice.execute(List.of())))
          .isEqualTo("execute: got 0 arguments, want 1");
      assertThat(refusal(twice::optimizedProgram))
          .isEqualTo(
              "PJRT_Executable_OptimizedProgram: got a plugin of version 0.81 without it, want one"
                  + " that has it; it is there since 0.57");
    }
  }

  private static PjrtExecutable compiled(PjrtClient client, String form) {
    var stableHlo = StableHlo.fromHlo(TWICE);
    PjrtCompileOptions options = PjrtCompileOptions.DEFAULT;
    return switch (form) {
      case "text" -> client.compile(StableHlo.print(stableHlo).getBytes(UTF_8), "mlir", options);
      case "artifact" ->
          client.compile(StableHlo.toArtifact(stableHlo, Optional.empty()), "mlir", options);
      case "proto" -> client.compile(HloProtos.writeModule(TWICE), "hlo", options);
      default -> client.compile(TWICE);
    };
  }

  private static final String UNTOLD =
      "pjrt: the plugin does not give its optimized programs, want one that does: nothing else"
          + " tells what arguments this one takes";

  @Test
  void whatNothingTellsIsRefused() {
    PjrtCompileOptions cut =
        PjrtCompileOptions.DEFAULT
            .withGrid(new DeviceGrid(1, 2))
            .withPartitioner(Partitioner.GSPMD);
    try (PjrtClient client = client(compiler())) {
      assertThat(refusal(() -> client.load(new byte[] {1}))).isEqualTo(UNTOLD);
      assertThat(refusal(() -> client.compile(TWICE, cut))).isEqualTo(UNTOLD);
      assertThat(
              refusal(() ->
                  client.compile(
                      "module @a {".getBytes(UTF_8), "mlir", PjrtCompileOptions.DEFAULT)))
          .startsWith("1:12: ");
    }
  }

  /** A plugin may say that it has none, or give another form. */
  @ParameterizedTest
  @CsvSource({"unimplemented", "mlir"})
  void optimizedProgramsThatAreNone(String what) {
    FakePlugin plugin =
        compiler()
            .with(
                "PJRT_Executable_OptimizedProgram",
                call -> {
                  if (what.equals("unimplemented")) {
                    throw new UnsupportedOperationException("no programs");
                  }
                  MemorySegment program =
                      MemorySegment.ofAddress(call.get("program")).reinterpret(48);
                  program.set(JAVA_LONG, 24, 0);
                  program.set(JAVA_LONG, 32, Arena.global().allocateFrom("mlir").address());
                  program.set(JAVA_LONG, 40, 4);
                });
    try (PjrtClient client = client(plugin);
        PjrtExecutable twice = client.compile(TWICE)) {
      assertThat(twice.parameters().toString()).isEqualTo("[f32[2]]");
      assertThat(twice.results().toString()).isEqualTo("[f32[2]]");
    }
  }
}
