package org.hlo4j.pjrt;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.pjrt.binding.BufferTypes;
import org.hlo4j.pjrt.binding.Call;
import org.hlo4j.pjrt.binding.Events;
import org.hlo4j.pjrt.binding.Function;
import org.hlo4j.pjrt.binding.Handle;
import org.hlo4j.pjrt.binding.NamedValues;
import org.hlo4j.pjrt.binding.Struct;
import org.hlo4j.pjrt.form.ProgramForm;
import org.hlo4j.pjrt.form.Shards;
import org.jspecify.annotations.Nullable;

/**
 * A program that was compiled and is loaded on its devices. It may be run on many threads at a
 * time.
 *
 * <p>The C interface compares neither element types nor sizes nor layouts of arguments with those
 * of the program, and a run with others gives wrong values without an error; so they are compared
 * here, before each run.
 */
public final class PjrtExecutable implements AutoCloseable {
  private static final String OPTIMIZED = "PJRT_Executable_OptimizedProgram";

  private final PjrtClient client;
  private final Handle handle;
  private final String form;
  private final String name;
  private final ImmutableList<PjrtDevice> devices;
  private final ImmutableList<Shape.Array> results;
  private final ImmutableList<Shape> parameters;
  private final ConcurrentLinkedQueue<Launch> launches = new ConcurrentLinkedQueue<>();

  /** How devices keep the results, which are asked of the first that is read. */
  private final ImmutableList<AtomicReference<@Nullable Optional<Layout>>> layouts;

  PjrtExecutable(PjrtClient client, long address, String form, Supplier<HloModule> given) {
    this.client = client;
    this.form = form;
    MemorySegment loaded = MemorySegment.ofAddress(address);
    name = ask(loaded, "PJRT_Executable_Name", call -> call.invoke().text("executable_name"));
    Function destroy = client.api.function("PJRT_LoadedExecutable_Destroy");
    handle = client.made.take(this, address, destroy, name, 0);
    // What is refused from here on is forgotten, and so freed by a later call.
    HloComputation entry = told(loaded, given).entry();
    parameters = entry.parameters().stream().map(HloInstruction::shape).collect(toImmutableList());
    results = results(entry.root().shape());
    layouts =
        results.stream()
            .map(each -> new AtomicReference<@Nullable Optional<Layout>>())
            .collect(toImmutableList());
    String addressable = "PJRT_LoadedExecutable_AddressableDevices";
    devices = client.list(addressable, loaded, "addressable_devices", client::deviceAt);
  }

  /**
   * Returns what tells the shapes: the optimized program, or, if the plugin does not give that, the
   * program itself. The plugin's functions that tell types end the process for one that is newer
   * than the plugin.
   */
  private HloModule told(MemorySegment loaded, Supplier<HloModule> given) {
    HloModule told;
    try {
      told = ask(loaded, OPTIMIZED, this::optimized);
    } catch (HloException untold) {
      if (untold.kind() != Kind.UNSUPPORTED) {
        throw untold;
      }
      told = given.get();
    }
    for (Shape.Array array : Shards.arrays(told.entry())) {
      int _ = BufferTypes.number(array.elementType(), client.api); // refuses newer ones
    }
    return told;
  }

  /** Returns the arrays of a result: itself, or the elements of a tuple. */
  private static ImmutableList<Shape.Array> results(Shape result) {
    List<Shape> parts = result instanceof Shape.Tuple all ? all.elements() : List.of(result);
    HloException.require(
        parts.stream().allMatch(each -> each instanceof Shape.Array && !each.isDynamic()),
        Kind.UNSUPPORTED,
        "pjrt: got a program of which the result is %s, want arrays of static sizes",
        result);
    return Shards.arrays(result);
  }

  /** Asks the part of the executable that is not loaded, which is ours to free. */
  private <T> T ask(
      MemorySegment loaded, String function, java.util.function.Function<Call, T> answer) {
    long executable =
        client.ask("PJRT_LoadedExecutable_GetExecutable", loaded, call -> call.get("executable"));
    try (Call call = client.api.call(function)) {
      return answer.apply(call.set(MemorySegment.ofAddress(executable)));
    } finally {
      client.api.function("PJRT_Executable_Destroy").call(executable);
    }
  }

  /** Returns what a call of a function of the executable gives; the answer invokes it. */
  <T> T ask(String function, java.util.function.Function<Call, T> answer) {
    return handle.using(() -> ask(handle.pointer(), function, answer));
  }

  /** Returns what the plugin made of the program. */
  private HloModule optimized(Call call) {
    try (Arena arena = Arena.ofConfined()) {
      Struct<?> program = client.api.struct("PJRT_Program", arena);
      call.set("program", program).invoke();
      program.set("code", arena.allocate(Math.max(1, program.get("code_size"))));
      call.invoke();
      return ProgramForm.optimized(program.text("format"), program.bytes("code", "code_size"));
    }
  }

  /**
   * Returns the name of the program.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * Returns in which form the program went to the plugin.
   *
   * @return the format, {@code mlir} or {@code hlo}, and the reason
   */
  public String form() {
    return form;
  }

  /**
   * Returns what the plugin made of the program.
   *
   * @return the optimized program, not verified
   * @throws HloException if the plugin does not give it, or in another form than HLO
   */
  public HloModule optimizedProgram() {
    return ask(OPTIMIZED, this::optimized);
  }

  /**
   * Returns a text that is the same for programs that are the same to the plugin.
   *
   * @return the fingerprint
   * @throws PjrtException if the plugin has none
   */
  public String fingerprint() {
    return ask("PJRT_Executable_Fingerprint", call -> call.invoke().text("executable_fingerprint"));
  }

  /**
   * Returns the devices that a run needs.
   *
   * @return the devices, in the order of the argument lists
   */
  public ImmutableList<PjrtDevice> devices() {
    return devices;
  }

  /**
   * Returns what each device takes.
   *
   * @return the shapes with the layouts that the program wants
   */
  public ImmutableList<Shape> parameters() {
    return parameters;
  }

  /**
   * Returns what each device gives: the arrays of the result, of a tuple its leaves.
   *
   * @return the shapes
   */
  public ImmutableList<Shape.Array> results() {
    return results;
  }

  /**
   * Returns what XLA expects a run to cost.
   *
   * @return values by XLA's names, such as {@code flops} and {@code bytes accessed}
   * @throws PjrtException if the plugin has none
   */
  public ImmutableMap<String, Object> costAnalysis() {
    return ask(
        "PJRT_Executable_GetCostAnalysis", call -> NamedValues.read(call.invoke(), "properties"));
  }

  /**
   * Returns how much memory a run needs on a device.
   *
   * @return bytes by XLA's names, such as {@code temp_size_in_bytes}
   * @throws PjrtException if the plugin does not say
   */
  public ImmutableMap<String, Long> memoryAnalysis() {
    return ask(
        "PJRT_Executable_GetCompiledMemoryStats",
        call -> call.invoke().numbers(field -> field.endsWith("in_bytes")));
  }

  /**
   * Returns the executable as bytes, which {@link PjrtClient#load} takes. Another version of the
   * plugin and another processor may refuse them.
   *
   * @return the bytes
   * @throws PjrtException if the plugin cannot
   */
  public byte[] serialize() {
    return ask(
        "PJRT_Executable_Serialize",
        call -> {
          byte[] bytes = call.invoke().bytes("serialized_bytes", "serialized_bytes_size");
          MemorySegment owner = call.pointer("serialized_executable");
          long _ = Call.invoke(call.pointer("serialized_executable_deleter"), owner);
          return bytes;
        });
  }

  /**
   * Runs the program on its one device.
   *
   * @param arguments one for each parameter
   * @return the arrays of the result, which may still be under way
   * @throws HloException if an argument is of another shape or layout than the program wants, of
   *     another device, or closed; if the program is one for several devices
   * @throws PjrtException if the plugin refuses or the run fails at once
   */
  public ImmutableList<PjrtBuffer> execute(List<PjrtBuffer> arguments) {
    return execute(arguments, ImmutableSet.of());
  }

  /**
   * Runs the program on its one device.
   *
   * @param arguments one for each parameter
   * @param donated the numbers of the arguments that the run may write to, where the program
   *     permits that; they cannot be used any more
   * @return the arrays of the result, which may still be under way
   * @throws HloException if an argument is of another shape or layout than the program wants, of
   *     another device, or closed; if the program is one for several devices
   * @throws PjrtException if the plugin refuses or the run fails at once
   */
  public ImmutableList<PjrtBuffer> execute(List<PjrtBuffer> arguments, Set<Integer> donated) {
    return executeOnDevices(ImmutableList.of(arguments), donated).get(0);
  }

  /**
   * Runs the program on all of its devices.
   *
   * @param arguments for each of {@link #devices}, one for each parameter
   * @param donated the numbers of the arguments that the run may write to, where the program
   *     permits that; they cannot be used any more
   * @return for each device the arrays of the result, which may still be under way
   * @throws HloException if an argument is of another shape or layout than the program wants, of
   *     another device, or closed; if there are not as many lists as devices
   * @throws PjrtException if the plugin refuses or the run fails at once
   */
  public ImmutableList<ImmutableList<PjrtBuffer>> executeOnDevices(
      List<? extends List<PjrtBuffer>> arguments, Set<Integer> donated) {
    RunArguments given = new RunArguments(arguments, donated);
    given.check(devices, parameters);
    List<Handle> held = given.hold(handle);
    Launch launch;
    try {
      launch = client.memory.taking(() -> launched(arguments.get(0).size(), held, donated));
    } catch (HloException refused) {
      held.forEach(Handle::release);
      given.closeDonated(PjrtBuffer::isDeleted);
      throw refused;
    }
    given.closeDonated(each -> true);
    return results(launch, held);
  }

  /**
   * Runs the program. Runs on several devices begin one after the other, so that all devices see
   * them in the same order.
   */
  private Launch launched(int count, List<Handle> held, Set<Integer> donated) {
    Launch free = launches.poll();
    Launch launch =
        free != null && free.arguments() == count
            ? free
            : new Launch(client.api, handle.pointer(), devices.size(), count, results.size());
    for (int i = 1; i < held.size(); i++) {
      launch.setArgument(i - 1, held.get(i).address());
    }
    if (devices.size() == 1) {
      launch.run(donated);
      return launch;
    }
    client.launches.lock();
    try {
      launch.run(donated);
    } finally {
      client.launches.unlock();
    }
    return launch;
  }

  /** Takes the results. What the run uses is held until the plugin says that it is over. */
  private ImmutableList<ImmutableList<PjrtBuffer>> results(Launch launch, List<Handle> held) {
    ImmutableList.Builder<ImmutableList<PjrtBuffer>> all = ImmutableList.builder();
    CompletableFuture<Void> end = Events.DONE;
    for (int i = 0; i < devices.size(); i++) {
      CompletableFuture<Void> event = client.events.take(launch.event(i), "run");
      ImmutableList.Builder<PjrtBuffer> own = ImmutableList.builder();
      for (int j = 0; j < results.size(); j++) {
        long address = launch.result(i * results.size() + j);
        PjrtDevice device = devices.get(i);
        own.add(new PjrtBuffer(device, results.get(j), address, event, layouts.get(j)));
      }
      all.add(own.build());
      end = end == Events.DONE ? event : CompletableFuture.allOf(end, event);
    }
    launches.add(launch);
    Events.after(end, () -> held.forEach(Handle::release));
    return all.build();
  }

  /**
   * Runs the program on its one device, with arguments from the host and the result back to it.
   *
   * @param arguments one for each parameter
   * @return the arrays of the result, of a tuple its leaves
   * @throws HloException as {@link #execute}
   */
  public ImmutableList<Literal> run(Literal... arguments) {
    HloException.require(
        devices.size() == 1,
        "",
        "run: got a program for %s devices, want one for one device, or executeOnDevices",
        devices.size());
    return run(List.of(Arrays.asList(arguments)), List.of()).get(0);
  }

  /**
   * Runs the program on all of its devices, with arguments from the host and the results back to
   * it.
   *
   * @param arguments for each device, one for each parameter
   * @param kept for each parameter what is on the device in place of the argument; empty if nothing
   */
  List<ImmutableList<Literal>> run(
      List<? extends List<Literal>> arguments, List<Optional<PjrtBuffer>> kept) {
    try (PjrtScope scope = new PjrtScope()) {
      List<List<PjrtBuffer>> buffers = new ArrayList<>();
      for (int i = 0; i < arguments.size(); i++) {
        List<PjrtBuffer> own = new ArrayList<>();
        for (Literal array : arguments.get(i)) {
          PjrtDevice device = devices.get(i);
          Optional<PjrtBuffer> there = kept.isEmpty() ? Optional.empty() : kept.get(own.size());
          own.add(there.orElseGet(() -> scope.add(client.buffer(array, device))));
        }
        buffers.add(own);
      }
      var results = executeOnDevices(buffers, ImmutableSet.of());
      results.forEach(scope::addAll);
      return results.stream()
          .map(own -> own.stream().map(PjrtBuffer::toLiteral).collect(toImmutableList()))
          .toList();
    }
  }

  /** Frees the program once no run uses it. Does nothing the second time. */
  @Override
  public void close() {
    handle.close();
  }

  Handle handle() {
    return handle;
  }

  /** Returns the devices and what it takes and gives. */
  @Override
  public String toString() {
    return parameters + " -> " + results + " on " + devices;
  }
}
