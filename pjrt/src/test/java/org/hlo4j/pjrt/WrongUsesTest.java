package org.hlo4j.pjrt;

import static com.google.common.truth.Truth.assertThat;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.junit.jupiter.api.Test;

/** What users do wrong, and the first line of what they are told. */
final class WrongUsesTest {
  private static final String MESSAGES =
      """
      no file: plugin: got /nowhere/plugin.so, which is no file, want one
      no name: plugin: got abacus, which was not found, want a file, or a name that HLO4J_PJRT_PLUGINS has
      no option: option: got cpu_devices, want one of the cpu plugin of version 0.81: cpu_device_count
      option's type: option cpu_device_count: got two of type String, want Long
      no device: option cpu_device_count: got 0, want at least 1
      option without value: option: got cpu_device_count, want NAME=VALUE
      no process: isolation: processes got 0, want at least 1
      name of XLA's: custom-call: got Sharding, a name of XLA's, want another
      flag's type: pjrt: the flag xla_cpu_enable_fast_math got 1.5 of Float, want a String, Boolean, Long or Double
      no flag: PJRT_Client_Compile: INVALID_ARGUMENT: No such compile option: 'nonsense'
      flag of the process: pjrt: the flag xla_cpu_collective_call_terminate_timeout_seconds got a value for a program, want it in XLA_FLAGS, where XLA looks for it
      devices assigned: pjrt: the device assignment got [[7]], want 2 lists of 1 ids
      no such program: PJRT_Client_Compile: UNKNOWN: -:1:1: error: custom op 'nonsense' is unknown (tried 'builtin.nonsense' as well)
      no such format: PJRT_Client_Compile: INVALID_ARGUMENT: Unknown program format 'onnx'.
      no executable: PJRT_Executable_DeserializeAndLoad: INTERNAL: PjRtCpuClient::DeserializeExecutable proto deserialization failed
      invalid program: negate: declared shape got f32[3], want f32[2] as inferred
      queue to the host: pjrt: got infeed %f, want a program without queues to the host, which plugins do not have
      newer type: pjrt: got elements of type u1, which plugins have since 0.94, want one that version 0.81 has
      result without arrays: pjrt: got a program of which the result is token[], want arrays of static sizes
      no function: PJRT_Client_Compile: NOT_FOUND: No registered implementation for untyped custom call to wrong.unknown for Host
      too many devices: pjrt: got a program for 5 devices, want at most the 4 of cpu
      steps counted: pjrt: maxSteps got a value, want none: a plugin does not count steps
      one argument too few: execute: got 1 arguments, want 2
      argument's type: execute: argument 1 got s32[4], want f32[4]
      argument's shape: execute: argument 0 got f32[1,4], want f32[4]
      argument's device: execute: argument 1 got f32[4] on CpuDevice(id=1), want it on CpuDevice(id=0)
      argument closed: pjrt: buffer f32[4] is closed
      program closed: pjrt: executable m is closed
      donated twice: execute: donated got argument 1, which is argument 0, too
      donated nothing: execute: donated got argument 2, want one of the 2
      lists of two devices: execute: got arguments of 2 devices, want those of 1
      memory too small: copyTo: got 12 bytes, want the 16 of f32[4]
      read after close: pjrt: buffer f32[4] is closed
      view of the heap: view: got memory on the heap, want it outside of the heap at a multiple of 64
      """;

  private static final PjrtCompileOptions ONE = PjrtCompileOptions.DEFAULT;
  private static final DeviceGrid TWO = new DeviceGrid(2, 1);
  private static final Literal FOUR = Literal.of(new float[] {1, 2, 3, 4});
  private static final Shape.Array SHAPE = Shape.of(ElementType.F32, 4);

  private final Map<String, Runnable> uses = new LinkedHashMap<>();

  private static HloModule module(String body) {
    return Parser.parse("HloModule m\nENTRY e { " + body + " }");
  }

  private static void hold(Object any) {
    assertThat(any).isNotNull();
  }

  private void addPlugins() {
    PjrtOptions options = PjrtOptions.DEFAULT;
    PjrtPlugin plugin = CpuPlugin.plugin();
    uses.put("no file", () -> hold(PjrtPlugin.load(Path.of("/nowhere/plugin.so"))));
    uses.put("no name", () -> hold(PjrtPlugin.find("abacus")));
    uses.put("no option", () -> hold(plugin.client(options.with("cpu_devices=2"))));
    uses.put("option's type", () -> hold(plugin.client(options.with("cpu_device_count=two"))));
    uses.put("no device", () -> hold(plugin.client(options.with("cpu_device_count=0"))));
    uses.put("option without value", () -> hold(options.with("cpu_device_count")));
    uses.put("no process", () -> hold(PjrtEvaluator.Isolation.DEFAULT.withProcesses(0)));
    uses.put(
        "name of XLA's", () -> PjrtCustomCalls.register(plugin, "Sharding", (call, x) -> x.get(0)));
  }

  private void addPrograms(PjrtClient client) {
    uses.put("flag's type", () -> hold(ONE.withFlag("xla_cpu_enable_fast_math", 1.5f)));
    uses.put(
        "no flag",
        () ->
            hold(
                client.compile(module("ROOT c = f32[] constant(1)"), ONE.withFlag("nonsense", 1))));
    uses.put(
        "flag of the process",
        () -> hold(ONE.withFlag("xla_cpu_collective_call_terminate_timeout_seconds", 1)));
    uses.put(
        "devices assigned",
        () -> hold(ONE.withGrid(TWO).withDeviceAssignment(ImmutableList.of(ImmutableList.of(7)))));
    uses.put(
        "no such program", () -> hold(client.compile("nonsense".getBytes(UTF_8), "mlir", ONE)));
    uses.put("no such format", () -> hold(client.compile(new byte[0], "onnx", ONE)));
    uses.put("no executable", () -> hold(client.load(new byte[] {1, 2})));
    uses.put(
        "invalid program",
        () -> hold(client.compile(module("x = f32[2] parameter(0)  ROOT n = f32[3] negate(x)"))));
    uses.put(
        "queue to the host",
        () ->
            hold(
                client.compile(
                    module("t = token[] after-all()  ROOT f = (f32[4], token[]) infeed(t)"))));
    uses.put("newer type", () -> hold(client.compile(module("ROOT x = u1[4] parameter(0)"))));
    uses.put(
        "result without arrays",
        () ->
            hold(
                client.compile(
                    HloProtos.writeModule(module("ROOT t = token[] after-all()")), "hlo", ONE)));
    uses.put(
        "no function",
        () ->
            hold(
                client.compile(
                    module("ROOT c = f32[] custom-call(), custom_call_target=\"wrong.unknown\""))));
    uses.put(
        "too many devices",
        () ->
            hold(
                Pjrt.evaluator(client)
                    .runOnDevices(
                        module("ROOT i = u32[] replica-id()"),
                        new DeviceGrid(5, 1),
                        List.of(List.of(), List.of(), List.of(), List.of(), List.of()))));
    uses.put(
        "steps counted",
        () -> hold(Pjrt.evaluator(client, EvaluatorOptions.builder().maxSteps(9).build())));
  }

  private void addRuns(PjrtClient client, PjrtScope scope) {
    PjrtExecutable add =
        scope.add(
            client.compile(
                module(
                    "x = f32[4] parameter(0)  y = f32[4] parameter(1)  ROOT s = f32[4] add(x,"
                        + " y)")));
    PjrtBuffer x = scope.add(client.buffer(FOUR));
    PjrtBuffer ints = scope.add(client.buffer(Literal.of(new int[] {1, 2, 3, 4})));
    PjrtBuffer row = scope.add(client.buffer(Literal.of(new float[][] {{1, 2, 3, 4}})));
    PjrtBuffer there = scope.add(client.buffer(FOUR, client.devices().get(1)));
    PjrtBuffer closed = client.buffer(FOUR);
    closed.close();
    PjrtExecutable gone = client.compile(module("ROOT c = f32[] constant(1)"));
    gone.close();
    uses.put("one argument too few", () -> hold(add.execute(List.of(x))));
    uses.put("argument's type", () -> hold(add.execute(List.of(x, ints))));
    uses.put("argument's shape", () -> hold(add.execute(List.of(row, x))));
    uses.put("argument's device", () -> hold(add.execute(List.of(x, there))));
    uses.put("argument closed", () -> hold(add.execute(List.of(x, closed))));
    uses.put("program closed", () -> hold(gone.execute(List.of())));
    uses.put("donated twice", () -> hold(add.execute(List.of(x, x), Set.of(1))));
    uses.put("donated nothing", () -> hold(add.execute(List.of(x, x), Set.of(2))));
    uses.put(
        "lists of two devices",
        () -> hold(add.executeOnDevices(List.of(List.of(x, x), List.of(x, x)), Set.of())));
    uses.put("memory too small", () -> x.copyTo(MemorySegment.ofArray(new float[3])));
    uses.put("read after close", () -> hold(closed.toLiteral()));
    uses.put(
        "view of the heap",
        () ->
            hold(
                client.view(
                    Arena.global(), MemorySegment.ofArray(new float[4]), SHAPE, x.device())));
  }

  private String told() {
    return uses.entrySet().stream()
        .map(use -> use.getKey() + ": " + message(use.getValue()) + "\n")
        .collect(joining());
  }

  private static String message(Runnable use) {
    try {
      use.run();
      return "(nothing)";
    } catch (HloException refused) {
      return refused.summary();
    }
  }

  @Test
  void everyoneIsToldWhatWasGotAndWhatIsWanted() {
    PjrtClient client = CpuPlugin.client();
    try (PjrtScope scope = new PjrtScope()) {
      addPlugins();
      addPrograms(client);
      addRuns(client, scope);
      assertThat(told()).isEqualTo(MESSAGES);
    }
  }
}
