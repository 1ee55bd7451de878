package org.hlo4j.interpreter.engine;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.engine.TransferQueues.Route;

/**
 * The place where the devices of a run exchange values. Each device waits until all devices of its
 * group have reached the same instruction, or a collective of the same kind on the same channel or
 * none, for the same number of times. When all devices that still run are waiting, the run is
 * deadlocked, and all of them fail.
 */
public final class Rendezvous {
  /** The number of devices that a message names. */
  private static final int MAX_SHOWN = 8;

  /**
   * The meeting of a group at a place.
   *
   * @param place an instruction, or what several collectives share
   */
  private record Key(Object place, DeviceGroup group) {}

  /**
   * The place of all collectives of one kind on a channel, or of those without one, in whatever
   * computation they are. Inlining makes several instructions of one.
   */
  private record Channel(String opcode, Optional<Long> id) {}

  /**
   * A device that waits.
   *
   * @param end completed when it need not wait any longer
   */
  private record Waiting(HloInstruction instruction, Key key, CompletableFuture<Object> end) {}

  /**
   * What a group has computed.
   *
   * @param instruction that of the device that has computed it
   */
  private record Met(
      HloInstruction instruction, ImmutableList<List<Literal>> operands, Object result) {}

  private final Map<HloInstruction, Map<Integer, DeviceGroup>> groups = new ConcurrentHashMap<>();

  /** The operands of those who have arrived where others are awaited. */
  private final Map<Key, Map<Integer, List<Literal>>> arrivals = new HashMap<>();

  private final Map<Integer, Waiting> waiting = new TreeMap<>();
  private final TransferQueues transfers = new TransferQueues();
  private Optional<HloException> failure = Optional.empty();
  private int running;

  public Rendezvous(DeviceGrid grid) {
    running = grid.deviceCount();
  }

  /** Returns the groups of a collective by device, which are the same for all devices. */
  Map<Integer, DeviceGroup> groups(
      HloInstruction instruction, Supplier<Map<Integer, DeviceGroup>> byDevice) {
    return groups.computeIfAbsent(instruction, any -> byDevice.get());
  }

  /**
   * Returns what the operands of all devices of a group, in its order, give together. Waits until
   * all of them have arrived; the last one computes it for all at the same instruction, since
   * others may have another reducer.
   */
  @SuppressWarnings("unchecked") // what the devices of a group compute together is of one type
  <T> T meet(
      HloInstruction instruction,
      int device,
      DeviceGroup group,
      List<Literal> operands,
      Function<List<List<Literal>>, T> together) {
    Key key = new Key(place(instruction), group);
    Optional<ImmutableList<List<Literal>>> all;
    CompletableFuture<Object> end = new CompletableFuture<>();
    synchronized (this) {
      all = arrive(key, device, operands);
      if (all.isEmpty()) {
        await(device, new Waiting(instruction, key, end));
      }
    }
    if (all.isEmpty()) {
      Met met = (Met) ended(end);
      return met.instruction == instruction ? (T) met.result : together.apply(met.operands);
    }
    T result = together.apply(all.get());
    leave(group, new Met(instruction, all.get(), result));
    return result;
  }

  /** Returns the operands of all devices of a group if this one is the last to arrive. */
  private Optional<ImmutableList<List<Literal>>> arrive(
      Key key, int device, List<Literal> operands) {
    throwFailure();
    Map<Integer, List<Literal>> arrived = arrivals.computeIfAbsent(key, k -> new HashMap<>());
    arrived.put(device, operands);
    if (arrived.size() < key.group.size()) {
      return Optional.empty();
    }
    arrivals.remove(key);
    return Optional.of(
        key.group.members().stream()
            .map(member -> Objects.requireNonNull(arrived.get(member)))
            .collect(toImmutableList()));
  }

  /** Ends the waiting of the others of a group. */
  private synchronized void leave(DeviceGroup group, Met met) {
    for (int member : group.members()) {
      Waiting other = waiting.remove(member);
      if (other != null) {
        other.end.complete(met);
      }
    }
  }

  private static Object place(HloInstruction instruction) {
    Op op =
        instruction.op() instanceof CollectiveStart start ? start.collective() : instruction.op();
    return op instanceof Collective collective
        ? new Channel(op.opcode(), collective.channelId())
        : instruction;
  }

  private void throwFailure() {
    failure.ifPresent(refusal -> {
      throw refusal;
    });
  }

  /** Sends a value on a channel from one device to another. */
  public synchronized void send(
      int source, int target, long channelId, Literal value, long maxBytes) {
    transfers.sendFromRun(target, new Route(source, channelId), value, maxBytes);
    Waiting receiver = waiting.get(target);
    if (receiver != null && receiver.key.equals(arrival(source, channelId))) {
      waiting.remove(target);
      receiver.end.complete(value);
    }
  }

  /**
   * Returns the next value that another device has sent to this one on a channel. Waits until there
   * is one.
   */
  public Literal receive(HloInstruction instruction, int device, int source, long channelId) {
    CompletableFuture<Object> end = new CompletableFuture<>();
    synchronized (this) {
      throwFailure();
      Optional<Literal> next = transfers.nextReceived(device, new Route(source, channelId));
      if (next.isPresent()) {
        return next.get();
      }
      await(device, new Waiting(instruction, arrival(source, channelId), end));
    }
    ended(end);
    return receive(instruction, device, source, channelId);
  }

  /** What a device waits for that receives a value. */
  private static Key arrival(int source, long channelId) {
    return new Key(new Route(source, channelId), DeviceGroup.of(List.of(source)));
  }

  private void await(int device, Waiting reason) {
    waiting.put(device, reason);
    failIfDeadlocked();
  }

  private static Object ended(CompletableFuture<Object> end) {
    try {
      return end.get();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new HloException(HloException.Kind.INTERRUPTED, "run: interrupted");
    } catch (ExecutionException failed) {
      throw (HloException) failed.getCause();
    }
  }

  /**
   * Signs off a device that has ended, successfully or not, and will meet no other device any more.
   */
  public synchronized void deregister() {
    running--;
    failIfDeadlocked();
  }

  /** Ends the waiting of all devices, because one of them has failed. */
  synchronized void fail(HloException refusal) {
    if (failure.isEmpty()) {
      failure = Optional.of(refusal);
    }
    HloException first = failure.orElse(refusal);
    waiting.values().forEach(other -> other.end.completeExceptionally(first));
  }

  private void failIfDeadlocked() {
    if (!waiting.isEmpty() && waiting.size() >= running && failure.isEmpty()) {
      Stream<String> all =
          waiting.entrySet().stream().map(each -> who(each.getKey(), each.getValue()));
      String reason = "run: devices wait for others that do not come: " + listed("; ", all);
      fail(new HloException("", reason));
    }
  }

  private String who(int device, Waiting other) {
    Map<Integer, List<Literal>> arrived = arrivals.getOrDefault(other.key, Map.of());
    List<Integer> absent =
        other.key.group.members().stream()
            .filter(each -> !arrived.containsKey(each))
            .limit(MAX_SHOWN + 1)
            .toList();
    return "device %s at %s for %s %s"
        .formatted(
            device,
            other.instruction.name(),
            absent.size() == 1 ? "device" : "devices",
            listed(", ", absent.stream().map(String::valueOf)));
  }

  /** Returns the first of some texts; there may be thousands of devices. */
  private static String listed(String separator, Stream<String> texts) {
    List<String> first = texts.limit(MAX_SHOWN + 1).toList();
    return first.size() <= MAX_SHOWN
        ? String.join(separator, first)
        : String.join(separator, first.subList(0, MAX_SHOWN)) + separator + "…";
  }
}
