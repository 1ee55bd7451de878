package org.hlo4j.interpreter.engine;

import static com.google.common.collect.ImmutableList.toImmutableList;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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
  /**
   * The meeting of a group at a place, in its n-th round.
   *
   * @param place an instruction, or what several collectives share
   */
  private record Key(Object place, List<Integer> group, int round) {}

  /**
   * The place of all collectives of one kind on a channel, or of those without one, in whatever
   * computation they are. Inlining makes several instructions of one.
   */
  private record Channel(String opcode, Optional<Long> id) {}

  /** A device that waits. */
  private record Waiting(HloInstruction instruction, Key key) {}

  private final Map<Key, Map<Integer, List<Literal>>> arrivals = new HashMap<>();
  private final Map<Key, Integer> rounds = new HashMap<>();
  private final Map<Integer, Waiting> waiting = new TreeMap<>();
  private final TransferQueues transfers = new TransferQueues();
  private Optional<HloException> failure = Optional.empty();
  private int running;

  public Rendezvous(DeviceGrid grid) {
    running = grid.deviceCount();
  }

  /**
   * Returns the operands of all devices of a group, in its order. Waits until all of them have
   * arrived.
   */
  public synchronized List<List<Literal>> exchange(
      HloInstruction instruction, int device, List<Integer> group, List<Literal> operands) {
    Object place = place(instruction);
    Key kind = new Key(place, group, device);
    Key key = new Key(place, group, rounds.merge(kind, 1, Integer::sum));
    Map<Integer, List<Literal>> arrived = arrivals.computeIfAbsent(key, k -> new TreeMap<>());
    arrived.put(device, operands);
    if (arrived.size() == group.size()) {
      arrivals.remove(key);
      waiting.values().removeIf(other -> other.key.equals(key));
      notifyAll();
    } else {
      waiting.put(device, new Waiting(instruction, key));
      failIfDeadlocked();
      await(device);
    }
    throwFailure();
    return group.stream()
        .map(member -> arrived.getOrDefault(member, operands))
        .collect(toImmutableList());
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
      notifyAll();
    }
  }

  /**
   * Returns the next value that another device has sent to this one on a channel. Waits until there
   * is one.
   */
  public synchronized Literal receive(
      HloInstruction instruction, int device, int source, long channelId) {
    Route route = new Route(source, channelId);
    Optional<Literal> next = transfers.nextReceived(device, route);
    while (next.isEmpty()) {
      waiting.put(device, new Waiting(instruction, arrival(source, channelId)));
      failIfDeadlocked();
      await(device);
      throwFailure();
      next = transfers.nextReceived(device, route);
    }
    return next.get();
  }

  /** What a device waits for that receives a value. */
  private static Key arrival(int source, long channelId) {
    return new Key(new Route(source, channelId), List.of(source), 0);
  }

  private void await(int device) {
    try {
      while (waiting.containsKey(device) && failure.isEmpty()) {
        wait();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new HloException(HloException.Kind.INTERRUPTED, "run: interrupted");
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
    notifyAll();
  }

  private void failIfDeadlocked() {
    if (waiting.isEmpty() || waiting.size() < running || failure.isPresent()) {
      return;
    }
    StringBuilder who = new StringBuilder();
    waiting.forEach((device, other) ->
        who.append(who.isEmpty() ? "" : "; ")
            .append("device ")
            .append(device)
            .append(" at ")
            .append(other.instruction.name())
            .append(" for ")
            .append(missing(other.key)));
    fail(new HloException("", "run: devices wait for others that do not come: " + who));
  }

  private String missing(Key key) {
    Map<Integer, List<Literal>> arrived = arrivals.getOrDefault(key, Map.of());
    List<Integer> absent =
        key.group().stream().filter(member -> !arrived.containsKey(member)).toList();
    return (absent.size() == 1 ? "device " : "devices ")
        + absent.toString().replace("[", "").replace("]", "");
  }
}
