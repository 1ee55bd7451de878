package org.hlo4j.pjrt;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.hlo4j.pjrt.CheckedPlugin.requireHolds;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.pjrt.binding.Api;
import org.hlo4j.pjrt.binding.Call;
import org.hlo4j.pjrt.binding.Events;
import org.hlo4j.pjrt.binding.StructLayout;
import org.hlo4j.pjrt.binding.Table;
import org.hlo4j.pjrt.form.ProgramForm;

/** The checks of a plugin that take more than one call. */
final class PluginChecks {
  static final Literal MATRIX = Literal.of(new float[][] {{1, 2, 3}, {4, 5, 6}});

  static final Literal PLUS_ONE = Literal.of(new float[][] {{2, 3, 4}, {5, 6, 7}});

  private static final byte[] NOISE = {(byte) 0x8f, 2, (byte) 0xff, 1, 0, 77, 3, 5};

  private static final int NO_DEVICE = 1_000_000;

  private static final ImmutableMap<String, Consumer<CheckedPlugin>> METHODS =
      ImmutableMap.<String, Consumer<CheckedPlugin>>builder()
          .put("load", CheckedPlugin::plugin)
          .put("extensions", PluginChecks::extensions)
          .put("client", CheckedPlugin::device)
          .put("lookup", PluginChecks::lookup)
          .put("assignment", PluginChecks::assignment)
          .put("strides", BufferChecks::strides)
          .put("layout", BufferChecks::layout)
          .put("references", BufferChecks::references)
          .put("raw", BufferChecks::raw)
          .put("copyToDevice", BufferChecks::copyToDevice)
          .put("copyToMemory", BufferChecks::copyToMemory)
          .put("deleted", BufferChecks::deleted)
          .put("compileMlir", on -> runs(plusOne(on, "2x3xf32")))
          .put("compileArtifact", on -> runs(on.client().compile(module())))
          .put("compileHlo", on -> runs(compile(on, ProgramForm.unverified(module()))))
          .put("badMlir", on -> requireRefused(() -> compile(on, "module @m { no program")))
          .put("badHlo", on -> requireRefused(() -> compile(on, form(ProgramForm.HLO, NOISE))))
          .put("badTypes", on -> requireRefused(() -> compile(on, text("f32", "3xf32", "%a"))))
          .put("badFormat", on -> requireRefused(() -> compile(on, form("fortran", NOISE))))
          .put("tooManyDevices", PluginChecks::tooManyDevices)
          .put("unknownCall", PluginChecks::unknownCall)
          .put("errors", PluginChecks::errors)
          .put("optimized", PluginChecks::optimized)
          .put("run", on -> requireEqual(PLUS_ONE, on.program().run(MATRIX).get(0)))
          .put("scalars", PluginChecks::scalars)
          .put("empty", PluginChecks::empty)
          .put("chain", PluginChecks::chain)
          .put("threads", PluginChecks::threads)
          .put("tooFew", on -> requireRefused(() -> launch(on.program(), List.of())))
          .put("tooMany", PluginChecks::tooMany)
          .put("kept", on -> aliased(on, Set.of()))
          .put("donated", on -> aliased(on, Set.of(0)))
          .put("allDevices", PluginChecks::allDevices)
          .put("deletedProgram", PluginChecks::deletedProgram)
          .put("view", BufferChecks::view)
          .put("event", PluginChecks::event)
          .put("serialized", on -> runs(on.client().load(on.program().serialize())))
          .put("badSerialized", on -> requireRefused(() -> on.client().load(NOISE)))
          .put("customCall", PluginChecks::customCall)
          .put("end", PluginChecks::end)
          .buildOrThrow();

  private PluginChecks() {}

  /** Returns the check of a name. */
  static Consumer<CheckedPlugin> method(String name) {
    return requireNonNull(METHODS.get(name), name);
  }

  static void requireRefused(Runnable call) {
    try {
      call.run();
    } catch (PjrtException refused) {
      boolean isExplained = refused.summary().matches(".*PJRT_\\w+: [A-Z_]+: .+");
      requireHolds(isExplained, refused.summary(), "a code and a message");
      return;
    }
    requireHolds(false, "no refusal", "one");
  }

  static void requireEqual(Object want, Object got) {
    requireHolds(got.equals(want), got, want.toString());
  }

  /** Returns StableHLO of a function of {@code %a}. */
  private static String text(String argument, String result, String returned, String... lines) {
    return "module @m { func.func @main(%a: tensor<"
        + argument
        + ">) -> tensor<"
        + result
        + "> { "
        + String.join(" ", lines)
        + " return "
        + returned
        + " : tensor<"
        + result
        + "> } }";
  }

  private static String plusOne(String argument, String type) {
    String one = "%c = stablehlo.constant dense<1.0> : tensor<" + type + ">";
    return text(argument, type, "%0", one, "%0 = stablehlo.add %a, %c : tensor<" + type + ">");
  }

  private static HloModule module() {
    return Parser.parse(
        "HloModule m ENTRY e { x = f32[2,3] parameter(0) c = f32[] constant(1)"
            + " b = f32[2,3] broadcast(c), dimensions={} ROOT r = f32[2,3] add(x, b) }");
  }

  private static ProgramForm form(String format, byte[] code) {
    return new ProgramForm(format, code, "check");
  }

  private static PjrtExecutable compile(CheckedPlugin on, ProgramForm form) {
    return on.client().compile(form, PjrtCompileOptions.DEFAULT);
  }

  private static PjrtExecutable compile(CheckedPlugin on, String stableHlo) {
    return compile(on, form(ProgramForm.MLIR, stableHlo.getBytes(UTF_8)));
  }

  /** Compiles x + 1. */
  static PjrtExecutable plusOne(CheckedPlugin on, String type) {
    return compile(on, plusOne(type, type));
  }

  private static void runs(PjrtExecutable plusOne) {
    try (plusOne) {
      requireEqual(PLUS_ONE, plusOne.run(MATRIX).get(0));
    }
  }

  private static void extensions(CheckedPlugin on) {
    StructLayout base = Table.PJRT.struct("PJRT_Extension_Base");
    for (Api.Extension each : on.plugin().api().extensions().values()) {
      long size = base.field("struct_size").get(each.memory());
      requireHolds(
          size >= base.sizeof(), size + " bytes of " + each.name(), base.sizeof() + " or more");
    }
  }

  private static void lookup(CheckedPlugin on) {
    MemorySegment found = lookup(on, on.device().id());
    requireEqual(on.device().address(), found);
    requireRefused(() -> lookup(on, NO_DEVICE));
  }

  private static MemorySegment lookup(CheckedPlugin on, int id) {
    try (Call call = on.client().api.call("PJRT_Client_LookupDevice")) {
      return call.set(on.client().handle.pointer()).set("id", id).invoke().pointer("device");
    }
  }

  private static void errors(CheckedPlugin on) {
    for (int i = 0; i < 1000; i++) {
      requireRefused(() -> lookup(on, NO_DEVICE));
    }
  }

  private static void assignment(CheckedPlugin on) {
    try (Arena arena = Arena.ofConfined();
        Call call = on.client().api.call("PJRT_Client_DefaultDeviceAssignment")) {
      MemorySegment id = arena.allocate(JAVA_INT);
      id.set(JAVA_INT, 0, NO_DEVICE);
      call.set(on.client().handle.pointer())
          .set("num_replicas", 1)
          .set("num_partitions", 1)
          .set("default_assignment", id, "default_assignment_size", 1)
          .invoke();
      requireHolds(id.get(JAVA_INT, 0) != NO_DEVICE, "nothing", "the id of a device");
      lookup(on, id.get(JAVA_INT, 0));
    }
  }

  private static void tooManyDevices(CheckedPlugin on) {
    PjrtCompileOptions many = PjrtCompileOptions.DEFAULT.withGrid(new DeviceGrid(4096, 1));
    byte[] code = plusOne("3xf32", "3xf32").getBytes(UTF_8);
    requireRefused(() -> on.client().compile(code, ProgramForm.MLIR, many));
  }

  private static void unknownCall(CheckedPlugin on) {
    String call =
        "%0 = stablehlo.custom_call @hlo4j_nobody(%a) {api_version = 4 : i32, backend_config = {}}"
            + " : (tensor<3xf32>) -> tensor<3xf32>";
    requireRefused(() -> {
      try (PjrtExecutable program = compile(on, text("3xf32", "3xf32", "%0", call))) {
        program.run(Literal.of(new float[3]));
      }
    });
  }

  private static void optimized(CheckedPlugin on) {
    HloModule module = on.program().optimizedProgram();
    requireEqual(
        "[f32[2,3]]",
        module.entry().parameters().stream()
            .map(each -> each.shape().withoutLayout())
            .toList()
            .toString());
    requireEqual("f32[2,3]", module.entry().root().shape().withoutLayout().toString());
  }

  private static void scalars(CheckedPlugin on) {
    String stableHlo =
        "module @m { func.func @main(%a: tensor<i32>, %b: tensor<f32>) -> (tensor<f32>,"
            + " tensor<i32>) { %0 = stablehlo.add %a, %a : tensor<i32> return %b, %0 : tensor<f32>,"
            + " tensor<i32> } }";
    try (PjrtExecutable program = compile(on, stableHlo)) {
      requireEqual(
          List.of(Literal.of(2.5f), Literal.of(6)), program.run(Literal.of(3), Literal.of(2.5f)));
    }
  }

  private static void empty(CheckedPlugin on) {
    Literal nothing = Literal.of(new float[0]);
    try (PjrtExecutable program = plusOne(on, "0xf32")) {
      requireEqual(nothing, program.run(nothing).get(0));
    }
  }

  private static void chain(CheckedPlugin on) {
    try (PjrtScope scope = new PjrtScope()) {
      PjrtBuffer x = scope.add(on.matrix());
      for (int i = 0; i < 100; i++) {
        x = scope.addAll(on.program().execute(List.of(x))).get(0);
      }
      requireEqual(Literal.of(new float[][] {{101, 102, 103}, {104, 105, 106}}), x.toLiteral());
    }
  }

  private static void threads(CheckedPlugin on) {
    PjrtExecutable program = on.program();
    try (ExecutorService pool = Executors.newFixedThreadPool(4)) {
      List<Future<Literal>> all =
          IntStream.range(0, 200)
              .mapToObj(i -> pool.submit(() -> program.run(MATRIX).get(0)))
              .toList();
      for (Future<Literal> each : all) {
        requireEqual(PLUS_ONE, each.get());
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new HloException(Kind.INTERRUPTED, "check: interrupted");
    } catch (ExecutionException failed) {
      throw new HloException("", "a thread: " + requireNonNull(failed.getCause()).getMessage());
    }
  }

  /** Runs a program with any arguments. */
  private static void launch(PjrtExecutable program, List<PjrtBuffer> arguments) {
    PjrtClient client = program.devices().get(0).client();
    Launch launch = new Launch(client.api, program.handle().pointer(), 1, arguments.size(), 1);
    for (int i = 0; i < arguments.size(); i++) {
      launch.setArgument(i, arguments.get(i).handle().address());
    }
    launch.run(Set.of());
    Events.await(client.events.take(launch.event(0), "run"));
    client.bufferDestroy.call(launch.result(0));
  }

  private static void tooMany(CheckedPlugin on) {
    try (PjrtBuffer x = on.matrix();
        PjrtBuffer y = on.matrix()) {
      requireRefused(() -> launch(on.program(), List.of(x, y)));
    }
  }

  /** Runs a program that may write its result over its argument. */
  private static void aliased(CheckedPlugin on, Set<Integer> donated) {
    String type = "2x3xf32";
    String alias = type + "> {tf.aliasing_output = 0 : i32";
    String stableHlo = plusOne(type, type).replace(type + ">)", alias + "})");
    try (PjrtExecutable program = compile(on, stableHlo);
        PjrtBuffer x = on.matrix()) {
      long address = x.handle().hold().address();
      try (PjrtBuffer y = program.execute(List.of(x), donated).get(0)) {
        requireEqual(PLUS_ONE, y.toLiteral());
        boolean isDeleted =
            on.client()
                .ask(
                    "PJRT_Buffer_IsDeleted",
                    MemorySegment.ofAddress(address),
                    call -> call.get("is_deleted") != 0);
        requireEqual(!donated.isEmpty(), isDeleted);
        if (donated.isEmpty()) {
          requireEqual(MATRIX, x.toLiteral());
        }
      } finally {
        x.handle().release();
      }
    }
  }

  private static void allDevices(CheckedPlugin on) {
    int count = on.client().devices().size();
    HloException.require(count > 1, Kind.UNSUPPORTED, "got one device, want two or more");
    String ids = IntStream.range(0, count).boxed().toList().toString();
    String sum =
        "\"stablehlo.all_reduce\"(%a) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %1 = stablehlo.add"
            + " %x, %y : tensor<f32> stablehlo.return %1 : tensor<f32> }) {replica_groups = dense<["
            + ids
            + "]> : tensor<1x"
            + count
            + "xi64>} : (tensor<f32>) -> tensor<f32>";
    byte[] code = text("f32", "f32", "%0", "%0 = " + sum).getBytes(UTF_8);
    PjrtCompileOptions all = PjrtCompileOptions.DEFAULT.withGrid(new DeviceGrid(count, 1));
    try (PjrtScope scope = new PjrtScope()) {
      PjrtExecutable program = scope.add(on.client().compile(code, ProgramForm.MLIR, all));
      List<List<PjrtBuffer>> arguments = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        Literal number = Literal.of(i + 1f);
        arguments.add(List.of(scope.add(on.client().buffer(number, program.devices().get(i)))));
      }
      for (ImmutableList<PjrtBuffer> each : program.executeOnDevices(arguments, Set.of())) {
        requireEqual(Literal.of(count * (count + 1) / 2f), scope.addAll(each).get(0).toLiteral());
      }
    }
  }

  private static void deletedProgram(CheckedPlugin on) {
    try (PjrtExecutable program = plusOne(on, "2x3xf32")) {
      on.client().api.function("PJRT_LoadedExecutable_Delete").call(program.handle().address());
      long isDeleted =
          on.client()
              .ask(
                  "PJRT_LoadedExecutable_IsDeleted",
                  program.handle().pointer(),
                  call -> call.get("is_deleted"));
      requireEqual("is_deleted 1", "is_deleted " + isDeleted);
    }
  }

  /** Memory of the host that is no copy: the plugin may not read it once the buffer is closed. */
  private static void event(CheckedPlugin on) {
    Api api = on.client().api;
    try (PjrtBuffer buffer = on.matrix();
        Call call = api.call("PJRT_Buffer_ReadyEvent")) {
      long event = call.set(buffer.handle().pointer()).invoke().get("event");
      HloException.require(event != 0, Kind.UNSUPPORTED, "got events that are null: no waiting");
      api.function("PJRT_Event_Await").call(event);
      Events.await(on.client().events.take(event, "event"));
    }
  }

  private static void customCall(CheckedPlugin on) {
    HloException.require(
        on.plugin().extensions().contains("FFI"),
        Kind.UNSUPPORTED,
        "got no extension FFI, want one");
    Literal answer = Literal.of(new float[] {7, 8, 9});
    PjrtCustomCalls.register(on.plugin(), "hlo4j_check", (call, operands) -> answer);
    HloModule module =
        Parser.parse(
            "ENTRY e { x = f32[3] parameter(0)"
                + " ROOT r = f32[3] custom-call(x), custom_call_target=\"hlo4j_check\" }");
    try (PjrtExecutable program = on.client().compile(module)) {
      requireEqual(answer, program.run(Literal.of(new float[3])).get(0));
    }
  }

  private static void end(CheckedPlugin on) {
    on.client();
    on.close();
    runs(plusOne(on, "2x3xf32"));
    on.close();
  }
}
