package org.hlo4j.pjrt;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.pjrt.binding.Events;
import org.hlo4j.pjrt.binding.Function;
import org.hlo4j.pjrt.binding.Handle;
import org.hlo4j.pjrt.binding.HostArrays;
import org.hlo4j.pjrt.form.OptimizedProgram;

/**
 * A program that was compiled and is loaded on its devices. It may be run on many threads at a
 * time.
 *
 * <p>The C interface compares neither element types nor sizes nor layouts of arguments with those
 * of the program, and a run with others gives wrong values without an error; so they are compared
 * here, before each run.
 */
public final class PjrtExecutable implements AutoCloseable {
  private final PjrtClient client;
  private final Handle handle;
  private final String form;
  private final String name;
  private final ImmutableList<PjrtDevice> devices;
  private final ImmutableList<Shape.Array> results;
  private final Optional<ImmutableList<Shape.Array>> parameters;
  private final ConcurrentLinkedQueue<Launch> free = new ConcurrentLinkedQueue<>();

  /** How devices keep the results, which the first run tells; empty before. */
  private volatile ImmutableList<Optional<Layout>> resultLayouts = ImmutableList.of();

  PjrtExecutable(PjrtClient client, long address, String form) {
    this.client = client;
    this.form = form;
    Function destroy = client.api().function("PJRT_LoadedExecutable_Destroy");
    MemorySegment loaded = MemorySegment.ofAddress(address);
    try (ProgramFacts facts = ProgramFacts.of(client.api(), loaded)) {
      name = facts.name();
      handle = client.made().take(this, address, destroy, destroy.field("executable"), name, 0);
      results = facts.results();
      parameters = facts.parameters();
      devices =
          client
              .ask(
                  "PJRT_LoadedExecutable_AddressableDevices",
                  loaded,
                  call -> call.pointers("addressable_devices", "num_addressable_devices"))
              .stream()
              .map(client::deviceAt)
              .collect(ImmutableList.toImmutableList());
    } // if it is refused here, it is forgotten, and so freed by a later call
  }

  private interface Question<T> {
    T of(ProgramFacts facts);
  }

  private <T> T asking(Question<T> question) {
    handle.hold();
    try (ProgramFacts facts = ProgramFacts.of(client.api(), handle.pointer())) {
      return question.of(facts);
    } finally {
      handle.release();
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
    return asking(facts ->
        facts
            .optimized()
            .map(program -> OptimizedProgram.read(program.format(), program.code()))
            .orElseThrow(() ->
                new HloException(
                    Kind.UNSUPPORTED, "pjrt: the plugin does not give its optimized programs")));
  }

  /**
   * Returns a text that is the same for programs that are the same to the plugin.
   *
   * @return the fingerprint
   * @throws PjrtException if the plugin has none
   */
  public String fingerprint() {
    return asking(ProgramFacts::fingerprint);
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
   * @return the shapes with the layouts that the program wants; empty if the plugin does not give
   *     the optimized program
   */
  public Optional<ImmutableList<Shape.Array>> parameters() {
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
    return asking(ProgramFacts::costs);
  }

  /**
   * Returns how much memory a run needs on a device.
   *
   * @return bytes by XLA's names, such as {@code temp_size_in_bytes}
   * @throws PjrtException if the plugin does not say
   */
  public ImmutableMap<String, Long> memoryAnalysis() {
    return asking(ProgramFacts::memory);
  }

  /**
   * Returns the executable as bytes, which {@link PjrtClient#load} takes. Another version of the
   * plugin and another processor may refuse them.
   *
   * @return the bytes
   * @throws PjrtException if the plugin cannot
   */
  public byte[] serialize() {
    return asking(ProgramFacts::serialized);
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
    HloException.require(
        arguments.size() == devices.size(),
        "",
        "execute: got arguments of %s devices, want those of %s",
        arguments.size(),
        devices.size());
    for (int i = 0; i < devices.size(); i++) {
      check(arguments.get(i), devices.get(i));
      checkDonated(arguments.get(i), donated);
    }
    List<Handle> held = hold(arguments);
    try {
      return client.memory().taking(() -> launch(arguments, donated, held));
    } catch (HloException refused) {
      held.forEach(Handle::release);
      closeDonated(arguments, donated, PjrtBuffer::isDeleted);
      throw refused;
    }
  }

  private static void checkDonated(List<PjrtBuffer> arguments, Set<Integer> donated) {
    for (int number : donated) {
      HloException.require(
          number >= 0 && number < arguments.size(),
          "",
          "execute: donated got argument %s, want one of the %s",
          number,
          arguments.size());
      PjrtBuffer argument = arguments.get(number);
      HloException.require(
          !argument.isView(), "", "execute: donated got argument %s, which is a view", number);
      HloException.require(
          arguments.indexOf(argument) == arguments.lastIndexOf(argument),
          "",
          "execute: donated got argument %s, which is argument %s, too",
          number,
          arguments.indexOf(argument) == number
              ? arguments.lastIndexOf(argument)
              : arguments.indexOf(argument));
    }
  }

  private static void closeDonated(
      List<? extends List<PjrtBuffer>> arguments,
      Set<Integer> donated,
      Predicate<PjrtBuffer> isGone) {
    for (List<PjrtBuffer> each : arguments) {
      for (int number : donated) {
        if (!each.get(number).handle().isClosed() && isGone.test(each.get(number))) {
          each.get(number).handle().donate();
        }
      }
    }
  }

  private void check(List<PjrtBuffer> arguments, PjrtDevice device) {
    int count = parameters.map(List::size).orElse(arguments.size());
    HloException.require(
        arguments.size() == count,
        "",
        "execute: got %s arguments, want %s",
        arguments.size(),
        count);
    for (int i = 0; i < count; i++) {
      PjrtBuffer argument = arguments.get(i);
      HloException.require(
          argument.device().client() == device.client(),
          "",
          "execute: argument %s got a buffer of another client, want one of this: %s",
          i,
          device.client());
      HloException.require(
          argument.device() == device,
          "",
          "execute: argument %s got %s, want it on %s",
          i,
          argument,
          device);
      if (parameters.isPresent()) {
        check(i, argument, parameters.get().get(i));
      }
    }
  }

  private static void check(int number, PjrtBuffer argument, Shape.Array want) {
    Shape.Array got = argument.shape();
    HloException.require(
        got.elementType() == want.elementType() && got.sizes().equals(want.sizes()),
        "",
        "execute: argument %s got %s, want %s",
        number,
        got,
        want.withLayout(null));
    if (want.layout().isPresent() && argument.layout().isPresent()) {
      HloException.require(
          HostArrays.sameOrder(argument.layout().orElseThrow(), want.layout().orElseThrow(), want),
          "",
          "execute: argument %s got %s in the layout %s, want %s",
          number,
          got,
          argument.layout().orElseThrow(),
          want.layout().orElseThrow());
    }
  }

  private List<Handle> hold(List<? extends List<PjrtBuffer>> arguments) {
    List<Handle> held = new ArrayList<>(4);
    try {
      held.add(handle.hold());
      for (List<PjrtBuffer> each : arguments) {
        for (PjrtBuffer argument : each) {
          held.add(argument.handle().hold());
        }
      }
      return held;
    } catch (HloException closed) {
      held.forEach(Handle::release);
      throw closed;
    }
  }

  private ImmutableList<ImmutableList<PjrtBuffer>> launch(
      List<? extends List<PjrtBuffer>> arguments, Set<Integer> donated, List<Handle> held) {
    Launch launch = free.poll();
    if (launch == null) {
      int count = arguments.get(0).size();
      launch = new Launch(client.api(), handle.pointer(), devices.size(), count, results.size());
    }
    int next = 1;
    for (int i = 0; i < devices.size(); i++) {
      for (int j = 0; j < arguments.get(i).size(); j++) {
        launch.setArgument(i, j, held.get(next++).address());
      }
    }
    run(launch, donated);
    ImmutableList<ImmutableList<PjrtBuffer>> made = results(launch, held);
    free.add(launch);
    closeDonated(arguments, donated, each -> true);
    return made;
  }

  /** Launches on several devices go one after the other, so that all devices see the same order. */
  private void run(Launch launch, Set<Integer> donated) {
    if (devices.size() == 1) {
      launch.run(donated);
      return;
    }
    client.launches().lock();
    try {
      launch.run(donated);
    } finally {
      client.launches().unlock();
    }
  }

  private ImmutableList<ImmutableList<PjrtBuffer>> results(Launch launch, List<Handle> held) {
    ImmutableList.Builder<ImmutableList<PjrtBuffer>> all = ImmutableList.builder();
    List<CompletableFuture<Void>> events = new ArrayList<>(devices.size());
    for (int i = 0; i < devices.size(); i++) {
      CompletableFuture<Void> event = client.events().take(launch.event(i), "run");
      all.add(results(launch, i, event));
      if (event != Events.DONE) {
        events.add(event);
      }
    }
    if (events.isEmpty()) {
      held.forEach(Handle::release);
    } else {
      CompletableFuture.allOf(events.toArray(CompletableFuture[]::new))
          .whenComplete((nothing, failure) -> held.forEach(Handle::release));
    }
    return all.build();
  }

  private ImmutableList<PjrtBuffer> results(
      Launch launch, int device, CompletableFuture<Void> event) {
    ImmutableList.Builder<PjrtBuffer> all = ImmutableList.builder();
    ImmutableList<Optional<Layout>> layouts = resultLayouts;
    for (int i = 0; i < results.size(); i++) {
      all.add(
          new PjrtBuffer(
              devices.get(device),
              results.get(i),
              launch.result(device, i),
              event,
              layouts.isEmpty() ? null : layouts.get(i)));
    }
    ImmutableList<PjrtBuffer> made = all.build();
    if (layouts.isEmpty()) {
      resultLayouts =
          made.stream().map(PjrtBuffer::layout).collect(ImmutableList.toImmutableList());
    }
    return made;
  }

  /**
   * Runs the program on its one device, with arguments from the host and the result back to it.
   *
   * @param arguments one for each parameter
   * @return the arrays of the result, of a tuple its leaves
   * @throws HloException as {@link #execute}
   */
  public ImmutableList<Literal> run(Literal... arguments) {
    requireOneDevice();
    List<PjrtBuffer> copies = new ArrayList<>();
    List<PjrtBuffer> made = ImmutableList.of();
    try {
      for (Literal argument : arguments) {
        copies.add(client.buffer(argument, devices.get(0)));
      }
      made = execute(copies);
      return made.stream().map(PjrtBuffer::toLiteral).collect(ImmutableList.toImmutableList());
    } finally {
      copies.forEach(PjrtBuffer::close);
      made.forEach(PjrtBuffer::close);
    }
  }

  private void requireOneDevice() {
    HloException.require(
        devices.size() == 1,
        Kind.ARGUMENT,
        "run: got a program for %s devices, want one for one device, or executeOnDevices",
        devices.size());
  }

  /** Frees the program once no run uses it. Does nothing the second time. */
  @Override
  public void close() {
    handle.close();
  }

  /** Returns the devices and what it takes and gives. */
  @Override
  public String toString() {
    return parameters.map(Object::toString).orElse("[…]") + " -> " + results + " on " + devices;
  }
}
