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
import org.hlo4j.interpreter.DeviceGrid;

/**
 * The place where the devices of a run exchange values. Each device waits until all devices of its
 * group have reached the same instruction for the same number of times. When all devices that still
 * run are waiting, the run is deadlocked, and all of them fail.
 */
public final class Rendezvous {
  /** The meeting of a group at an instruction, in its n-th round. */
  private record Key(HloInstruction instruction, List<Integer> group, int round) {}

  private final Map<Key, Map<Integer, List<Literal>>> arrivals = new HashMap<>();
  private final Map<Key, Integer> rounds = new HashMap<>();
  private final Map<Integer, Key> waiting = new TreeMap<>();
  private final Map<Integer, Long> awaitedChannels = new TreeMap<>();
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
    Key kind = new Key(instruction, group, device);
    Key key = new Key(instruction, group, rounds.merge(kind, 1, Integer::sum));
    Map<Integer, List<Literal>> arrived = arrivals.computeIfAbsent(key, k -> new TreeMap<>());
    arrived.put(device, operands);
    if (arrived.size() == group.size()) {
      arrivals.remove(key);
      waiting.values().removeIf(key::equals);
      notifyAll();
    } else {
      waiting.put(device, key);
      failIfDeadlocked();
      await(device);
    }
    throwFailure();
    return group.stream()
        .map(member -> arrived.getOrDefault(member, operands))
        .collect(toImmutableList());
  }

  private void throwFailure() {
    failure.ifPresent(refusal -> {
      throw refusal;
    });
  }

  /** Sends a value on a channel to another device. */
  public synchronized void send(int target, long channelId, Literal value, long maxBytes) {
    transfers.sendFromRun(target, channelId, value, maxBytes);
    if (awaitedChannels.remove(target, channelId)) {
      waiting.remove(target);
      notifyAll();
    }
  }

  /** Returns the next value that another device has sent to this one. Waits until there is one. */
  public synchronized Literal receive(
      HloInstruction instruction, int device, int source, long channelId) {
    Optional<Literal> next = transfers.nextReceived(device, channelId);
    while (next.isEmpty()) {
      awaitedChannels.put(device, channelId);
      waiting.put(device, new Key(instruction, List.of(source), 0));
      failIfDeadlocked();
      await(device);
      throwFailure();
      next = transfers.nextReceived(device, channelId);
    }
    return next.get();
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
    waiting.forEach((device, key) ->
        who.append(who.isEmpty() ? "" : "; ")
            .append("device ")
            .append(device)
            .append(" at ")
            .append(key.instruction().name())
            .append(" for ")
            .append(missing(key)));
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
