package org.hlo4j.pjrt;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.pjrt.PjrtException.Code;
import org.hlo4j.pjrt.binding.Api;
import org.hlo4j.pjrt.binding.Call;
import org.hlo4j.pjrt.binding.Events;
import org.hlo4j.pjrt.binding.Function;
import org.hlo4j.pjrt.binding.Handle;
import org.hlo4j.pjrt.binding.Handles;
import org.hlo4j.pjrt.binding.HostMemory;
import org.hlo4j.pjrt.binding.NamedValues;
import org.hlo4j.pjrt.binding.NativeThread;
import org.hlo4j.pjrt.binding.Struct;
import org.hlo4j.pjrt.ffi.CustomCallRegistry;
import org.hlo4j.pjrt.form.ProgramForm;
import org.hlo4j.pjrt.form.ProgramReader;
import org.hlo4j.stablehlo.mlir.Attribute;

/**
 * What runs programs on the devices of a plugin: it compiles them, and keeps arrays. Its methods
 * may be called on any thread.
 *
 * <p>Closing it closes its executables and buffers first, and waits for the runs under way.
 */
public final class PjrtClient implements AutoCloseable {
  final Api api;
  final Events events;
  final Handle handle;

  /** What was made by it, which is freed before it is. */
  final Handles made = new Handles();

  final HostMemory hostMemory = new HostMemory();
  final DeviceMemory memory;
  final Function bufferDestroy;
  final ReentrantLock launches = new ReentrantLock();
  private final PjrtPlugin plugin;
  private final PjrtOptions options;
  private final Handles self = new Handles();
  private final String platform;
  private final ImmutableList<PjrtDevice> devices;
  private final Optional<ProgramCache> cache;
  private final CustomCallRegistry.Client callingClient;

  private PjrtClient(PjrtPlugin plugin, PjrtOptions options, long address) {
    this.plugin = plugin;
    this.options = options;
    api = plugin.api();
    handle = self.take(this, address, api.function("PJRT_Client_Destroy"), "", 0);
    memory = new DeviceMemory(made, options);
    cache = options.cache().map(folder -> ProgramCache.of(folder, plugin, options));
    events = new Events(api);
    bufferDestroy = api.function("PJRT_Buffer_Destroy");
    platform = text("PJRT_Client_PlatformName", handle.pointer(), "platform_name");
    callingClient = new CustomCallRegistry.Client(platform, this::hasHandler);
    String addressable = "PJRT_Client_AddressableDevices";
    devices =
        list(
            addressable,
            handle.pointer(),
            "addressable_devices",
            each -> new PjrtDevice(this, each));
  }

  /** Creates a client with options that were compared with what the plugin knows. */
  static PjrtClient create(
      PjrtPlugin plugin, PjrtOptions options, ImmutableMap<String, Object> values) {
    try (Arena arena = Arena.ofConfined();
        Call call = plugin.api().call("PJRT_Client_Create")) {
      MemorySegment array = NamedValues.write(values, plugin.api(), arena);
      call.set("create_options", array, "num_options", values.size()).invoke();
      PjrtClient client = new PjrtClient(plugin, options, call.get("client"));
      OpenClients.ALL.add(client);
      return client;
    }
  }

  /**
   * Returns the plugin.
   *
   * @return the plugin
   */
  public PjrtPlugin plugin() {
    return plugin;
  }

  /**
   * Returns the options that it was created with.
   *
   * @return the options
   */
  public PjrtOptions options() {
    return options;
  }

  /**
   * Returns the name of the platform.
   *
   * @return as {@code cpu}, {@code cuda} or {@code tpu}
   */
  public String platform() {
    return platform;
  }

  /**
   * Returns what the plugin says of the version of the platform.
   *
   * @return text of one or more lines
   */
  public String platformVersion() {
    return using(() -> text("PJRT_Client_PlatformVersion", handle.pointer(), "platform_version"));
  }

  /**
   * Returns the devices that this process can use.
   *
   * @return the devices, in the order of their numbers
   */
  public ImmutableList<PjrtDevice> devices() {
    return devices;
  }

  /**
   * Compiles a program for one device.
   *
   * @param module the program
   * @return what runs it, to be closed
   * @throws HloException if the program has no form that the plugin reads
   * @throws PjrtException if the plugin refuses it
   */
  public PjrtExecutable compile(HloModule module) {
    return compile(module, PjrtCompileOptions.DEFAULT);
  }

  /**
   * Compiles a program.
   *
   * @param module the program
   * @param compileOptions for which devices, and how
   * @return what runs it, to be closed
   * @throws HloException if the program has no form that the plugin reads
   * @throws PjrtException if the plugin refuses it
   */
  public PjrtExecutable compile(HloModule module, PjrtCompileOptions compileOptions) {
    HloModule prepared = plugin.customCalls().prepared(module, callingClient);
    ProgramReader reader = ProgramReader.of(plugin.attributes());
    PjrtCompileOptions own = compileOptions.of(prepared);
    ProgramForm form = ProgramForm.of(prepared, reader, own.isOfPartition());
    return compile(form, own);
  }

  /**
   * Compiles a program that is written already.
   *
   * @param program the program
   * @param format {@code mlir} for StableHLO as text, bytecode or a portable artifact, {@code hlo}
   *     for an HloModuleProto
   * @param compileOptions for which devices, and how
   * @return what runs it, to be closed
   * @throws PjrtException if the plugin refuses it
   */
  public PjrtExecutable compile(byte[] program, String format, PjrtCompileOptions compileOptions) {
    return compile(new ProgramForm(format, program, "given"), compileOptions);
  }

  /** Compiles a program that is written already. */
  PjrtExecutable compile(ProgramForm form, PjrtCompileOptions compileOptions) {
    return withHandlers(() -> compileOnce(form, compileOptions));
  }

  /** Compiles a program, whatever custom calls are in it. */
  PjrtExecutable compileOnce(ProgramForm form, PjrtCompileOptions compileOptions) {
    PjrtCompileOptions own = compileOptions.on(platform);
    Supplier<PjrtExecutable> compile =
        cache.isPresent()
            ? () -> cache.get().get(this, form, own, () -> compiled(form, own))
            : () -> compiled(form, own);
    return using(() -> NativeThread.run("compile", compile, PjrtExecutable::close));
  }

  /** Gives the plugin the handlers that it lacks for a program. */
  private PjrtExecutable withHandlers(Supplier<PjrtExecutable> work) {
    plugin.customCalls().giveAll(callingClient);
    while (true) {
      try {
        return work.get();
      } catch (PjrtException refusal) {
        if (!plugin.customCalls().givesMissing(refusal, callingClient)) {
          throw refusal;
        }
      }
    }
  }

  /** Compiles a program of nothing but a call, which XLA refuses if nobody answers. */
  private boolean hasHandler(String target) {
    String program =
        """
        func.func @main() -> tensor<f32> {
          %%0 = "stablehlo.custom_call"() {api_version = 4 : i32, call_target_name = %s} :
            () -> tensor<f32> return %%0 : tensor<f32> }
        """
            .formatted(new Attribute.Str(target));
    byte[] code = program.getBytes(StandardCharsets.UTF_8);
    try {
      ProgramForm form = new ProgramForm(ProgramForm.MLIR, code, "asks for a custom call");
      compileOnce(form, PjrtCompileOptions.DEFAULT).close();
      return true;
    } catch (PjrtException refused) {
      return refused.code() != Code.NOT_FOUND && refused.code() != Code.UNIMPLEMENTED;
    }
  }

  private PjrtExecutable compiled(ProgramForm form, PjrtCompileOptions compileOptions) {
    try (Arena arena = Arena.ofConfined();
        Call call = api.call("PJRT_Client_Compile")) {
      Struct<?> program =
          api.struct("PJRT_Program", arena)
              .set("code", form.code(), arena)
              .set("format", form.format().getBytes(StandardCharsets.UTF_8), arena);
      call.set(handle.pointer())
          .set("program", program)
          .set("compile_options", compileOptions.toProto(), arena)
          .invoke();
      return new PjrtExecutable(
          this, call.get("executable"), form.toString(), () -> compileOptions.ofDevice(form));
    }
  }

  /**
   * Loads an executable that was serialized.
   *
   * @param serialized what {@link PjrtExecutable#serialize} gave
   * @return what runs it, to be closed
   * @throws PjrtException if the plugin refuses, as where it was compiled by another version or for
   *     another processor
   */
  public PjrtExecutable load(byte[] serialized) {
    Supplier<PjrtExecutable> load =
        () -> loaded(serialized, "serialized executable", ProgramForm::untold);
    return withHandlers(() -> using(() -> NativeThread.run("load", load, PjrtExecutable::close)));
  }

  PjrtExecutable loaded(byte[] serialized, String form, Supplier<HloModule> given) {
    try (Arena arena = Arena.ofConfined();
        Call call = api.call("PJRT_Executable_DeserializeAndLoad")) {
      call.set(handle.pointer()).set("serialized_executable", serialized, arena).invoke();
      return new PjrtExecutable(this, call.get("loaded_executable"), form, given);
    }
  }

  /**
   * Copies an array to the first device.
   *
   * @param literal the array
   * @return the copy, to be closed
   * @throws PjrtException if the plugin refuses, as where there is no memory left
   */
  public PjrtBuffer buffer(Literal literal) {
    return buffer(literal, devices.get(0));
  }

  /**
   * Copies an array to a device.
   *
   * @param literal the array
   * @param device the device
   * @return the copy, to be closed
   * @throws PjrtException if the plugin refuses, as where there is no memory left
   */
  public PjrtBuffer buffer(Literal literal, PjrtDevice device) {
    return using(() -> PjrtBuffer.copyOf(literal, device, Optional.empty()));
  }

  /**
   * Copies an array to a memory.
   *
   * @param literal the array
   * @param device the device
   * @param where one of the memories of the device
   * @return the copy, to be closed
   * @throws PjrtException if the plugin refuses, as where there is no memory left
   */
  public PjrtBuffer buffer(Literal literal, PjrtDevice device, PjrtMemory where) {
    return using(() -> PjrtBuffer.copyOf(literal, device, Optional.of(where)));
  }

  /**
   * Makes memory of the host an array of a device, without a copy where the plugin can: CPUs can if
   * the memory is aligned to 64 bytes. {@link PjrtBuffer#isAlias} says whether it did. The arena is
   * taken over: it is closed once the plugin does not read the memory any more, and until then
   * nobody may write to it. Such a buffer cannot be donated.
   *
   * @param arena of which the memory is; one that any thread may close
   * @param memory the elements, row-major, in the byte order of the machine, aligned to 64 bytes
   * @param shape the shape, of elements of at least 8 bits
   * @param device the device
   * @return the array, to be closed
   * @throws HloException if the memory is on the heap, not aligned, of another size, or of an arena
   *     of this thread only; if the elements are narrower
   * @throws PjrtException if the plugin refuses
   */
  public PjrtBuffer view(Arena arena, MemorySegment memory, Shape.Array shape, PjrtDevice device) {
    return using(() -> PjrtBuffer.viewOf(arena, memory, shape, device));
  }

  /**
   * Returns a scope, which closes what is given to it.
   *
   * @return the scope, to be closed
   */
  public PjrtScope scope() {
    return new PjrtScope();
  }

  /**
   * Returns how many bytes of devices this client's buffers keep, as far as hlo4j made them.
   *
   * @return the bytes of all buffers that are not closed
   */
  public long liveBytes() {
    return made.bytes();
  }

  /**
   * Returns how many executables and buffers are not closed yet.
   *
   * @return their number
   */
  public int liveHandles() {
    made.drain();
    return made.count();
  }

  /**
   * Closes all executables and buffers, waits for the runs that use them, and closes the client.
   * Does nothing the second time.
   */
  @Override
  public void close() {
    Events.await(closing());
  }

  /** Closes all that was made, and the client once the last run is over. */
  CompletableFuture<Void> closing() {
    OpenClients.ALL.remove(this);
    return made.close().thenCompose(none -> self.close());
  }

  /** Runs a call that takes memory, with the client alive from its begin to its end. */
  <T> T using(Supplier<T> call) {
    return alive(() -> memory.taking(call));
  }

  /** Runs a call with the client alive from its begin to its end. */
  <T> T alive(Supplier<T> call) {
    return handle.using(() -> {
      HloException.require(!made.isClosed(), "", "pjrt: client is closed");
      return call.get();
    });
  }

  /** Returns the device at an address that the plugin gives. */
  PjrtDevice deviceAt(MemorySegment address) {
    return devices.stream()
        .filter(each -> each.address().address() == address.address())
        .findFirst()
        .orElseThrow(() ->
            new HloException(
                Kind.UNSUPPORTED, "pjrt: got a device of another process, want one of this"));
  }

  /** Returns what a function gives of an object that lives as long as the client. */
  <T> T ask(String function, MemorySegment object, java.util.function.Function<Call, T> answer) {
    return alive(() -> {
      try (Call call = api.call(function)) {
        return answer.apply(call.set(object).invoke());
      }
    });
  }

  /** Returns the objects that a function gives of an object. */
  <T> ImmutableList<T> list(
      String function,
      MemorySegment object,
      String field,
      java.util.function.Function<MemorySegment, T> made) {
    return ask(function, object, call -> call.pointers(field, "num_" + field)).stream()
        .map(made)
        .collect(ImmutableList.toImmutableList());
  }

  /** Returns a text that a function gives of an object. */
  String text(String function, MemorySegment object, String field) {
    return ask(function, object, call -> call.text(field));
  }

  /** Returns the platform and its devices. */
  @Override
  public String toString() {
    return platform + " of " + plugin + ": " + devices;
  }
}
