package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.Transfers;

/**
 * The queues of all devices, with both interfaces: that of the user, {@link Transfers}, and that of
 * the runs.
 */
public final class TransferQueues implements Transfers {
  private static final long BYTES_OF_AN_ENTRY = 128;

  /** The queues of one device. */
  private static final class Queues {
    final Deque<Literal> infeed = new ArrayDeque<>();
    final Deque<Literal> outfeed = new ArrayDeque<>();
    final Map<Long, Deque<Literal>> channels = new TreeMap<>();

    Deque<Literal> channel(long channelId) {
      return channels.computeIfAbsent(channelId, id -> new ArrayDeque<>());
    }
  }

  private final Map<Integer, Queues> devices = new TreeMap<>();
  private long bytes;

  /** Returns the same queues with the interface of the runs. */
  public static TransferQueues of(Transfers transfers) {
    require(
        transfers instanceof TransferQueues,
        "",
        "options: transfers got %s, want those of Transfers.create()",
        transfers.getClass());
    return (TransferQueues) transfers;
  }

  @Override
  public Transfers feedIn(Literal... values) {
    return feedInto(0, values);
  }

  @Override
  public synchronized Transfers feedInto(int device, Literal... values) {
    Collections.addAll(queues(device).infeed, values);
    return this;
  }

  @Override
  public synchronized ImmutableList<Literal> takeFedOut() {
    return devices.values().stream()
        .flatMap(queues -> drained(queues.outfeed).stream())
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public synchronized ImmutableList<Literal> takeFedOut(int device) {
    return drained(queues(device).outfeed);
  }

  @Override
  public Transfers send(long channelId, Literal value) {
    return sendTo(0, channelId, value);
  }

  @Override
  public synchronized Transfers sendTo(int device, long channelId, Literal value) {
    queues(device).channel(channelId).add(value);
    return this;
  }

  @Override
  public synchronized ImmutableList<Literal> takeSent(long channelId) {
    return devices.values().stream()
        .flatMap(queues -> drained(queues.channel(channelId)).stream())
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public synchronized ImmutableList<Literal> takeSent(int device, long channelId) {
    return drained(queues(device).channel(channelId));
  }

  /** Returns the next infeed value of a device, if there is one. */
  public synchronized Optional<Literal> nextInfeed(int device) {
    return Optional.ofNullable(queues(device).infeed.poll());
  }

  /** Returns the next value of a channel of a device, if there is one. */
  public synchronized Optional<Literal> nextReceived(int device, long channelId) {
    Optional<Literal> next = Optional.ofNullable(queues(device).channel(channelId).poll());
    next.ifPresent(value -> bytes -= Math.min(bytes, bytes(value)));
    return next;
  }

  /** Adds a value to the outfeed queue of a device. */
  public synchronized void feedOut(int device, Literal value, long maxBytes) {
    reserveBytes(value, maxBytes);
    queues(device).outfeed.add(value);
  }

  /** Adds a value that a run sends on a channel of a device. */
  public synchronized void sendFromRun(int device, long channelId, Literal value, long maxBytes) {
    reserveBytes(value, maxBytes);
    queues(device).channel(channelId).add(value);
  }

  private void reserveBytes(Literal value, long maxBytes) {
    long more = bytes(value);
    require(
        more <= maxBytes - bytes,
        "",
        "run: %s bytes beside the %s waiting in queues, want at most %s together",
        more,
        bytes,
        maxBytes);
    bytes += more;
  }

  private Queues queues(int device) {
    require(device >= 0, "", "transfers: device got %s, want at least 0", device);
    return devices.computeIfAbsent(device, number -> new Queues());
  }

  private ImmutableList<Literal> drained(Deque<Literal> queue) {
    ImmutableList<Literal> all = ImmutableList.copyOf(queue);
    queue.clear();
    bytes -= Math.min(bytes, total(all));
    return all;
  }

  private static long total(List<Literal> values) {
    return values.stream().mapToLong(TransferQueues::bytes).sum();
  }

  private static long bytes(Literal value) {
    if (!(value.shape() instanceof Shape.Array array)) {
      return BYTES_OF_AN_ENTRY + total(value.elements());
    }
    long each = Math.max(1, array.elementType().bits() / 8);
    return BYTES_OF_AN_ENTRY + each * value.elementCount();
  }
}
