package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ownership.HandedOut;
import org.hlo4j.interpreter.Transfers;

/**
 * The queues of all devices, with both interfaces: that of the user, {@link Transfers}, and that of
 * the runs.
 */
public final class TransferQueues implements Transfers {
  private static final long BYTES_OF_AN_ENTRY = 128;

  /**
   * Where the values of a channel come from.
   *
   * @param source the number of the device that sends them; {@link #ANYWHERE} for the user and for
   *     a device that sends to itself
   * @param channelId the channel
   */
  record Route(int source, long channelId) {
    static final int ANYWHERE = -1;
  }

  /**
   * A value that waits.
   *
   * @param bytes what it adds to the bytes that runs may leave in queues; 0 if the user gave it
   */
  private record Entry(Literal value, long bytes) {}

  /** The queues of one device. */
  private static final class Queues {
    final Deque<Entry> infeed = new ArrayDeque<>();
    final Deque<Entry> outfeed = new ArrayDeque<>();
    final Map<Route, Deque<Entry>> channels = new HashMap<>();

    Deque<Entry> channel(Route route) {
      return channels.computeIfAbsent(route, id -> new ArrayDeque<>());
    }
  }

  private final Map<Integer, Queues> devices = new TreeMap<>();
  private long bytes;
  private BiFunction<Integer, Shape, Optional<Literal>> infeed =
      (device, shape) -> Optional.empty();

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
    require(values != null, "", "transfers: feed is null, want literals");
    List<Entry> entries = Arrays.stream(values).map(value -> given(value, "feed")).toList();
    queues(device).infeed.addAll(entries);
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
    queues(device).channel(channel(channelId)).add(given(value, "send"));
    return this;
  }

  /** Returns the entry of a value that the user gave, which nobody may write to any more. */
  private static Entry given(Literal value, String call) {
    require(value != null, "", "transfers: %s is null, want a literal", call);
    return new Entry(HandedOut.note(value), 0);
  }

  private static Route channel(long channelId) {
    return new Route(Route.ANYWHERE, channelId);
  }

  @Override
  public synchronized ImmutableList<Literal> takeSent(long channelId) {
    return devices.values().stream()
        .flatMap(queues -> drained(queues.channel(channel(channelId))).stream())
        .collect(ImmutableList.toImmutableList());
  }

  @Override
  public synchronized ImmutableList<Literal> takeSent(int device, long channelId) {
    return drained(queues(device).channel(channel(channelId)));
  }

  /** Removes all values. */
  public synchronized void clear() {
    devices.clear();
    bytes = 0;
  }

  /**
   * Sets what infeed takes from when its queue is empty, given the device and the shape that it
   * wants.
   */
  public synchronized void feedFrom(BiFunction<Integer, Shape, Optional<Literal>> source) {
    infeed = source;
  }

  /** Returns the next infeed value of a device, which should have this shape, if there is one. */
  public synchronized Optional<Literal> nextInfeed(int device, Shape shape) {
    return next(queues(device).infeed).or(() -> infeed.apply(device, shape).map(HandedOut::note));
  }

  /** Returns the next value of a channel of a device, if there is one. */
  public synchronized Optional<Literal> nextReceived(int device, long channelId) {
    return nextReceived(device, channel(channelId));
  }

  /** Returns the next value that came to a device by a route, if there is one. */
  synchronized Optional<Literal> nextReceived(int device, Route route) {
    return next(queues(device).channel(route));
  }

  private Optional<Literal> next(Deque<Entry> queue) {
    Optional<Entry> next = Optional.ofNullable(queue.poll());
    next.ifPresent(entry -> bytes -= entry.bytes);
    return next.map(Entry::value);
  }

  /** Adds a value to the outfeed queue of a device. */
  public synchronized void feedOut(int device, Literal value, long maxBytes) {
    queues(device).outfeed.add(reserved(value, maxBytes));
  }

  /** Adds a value that a run sends on a channel of a device. */
  public synchronized void sendFromRun(int device, long channelId, Literal value, long maxBytes) {
    sendFromRun(device, channel(channelId), value, maxBytes);
  }

  /** Adds a value that a run sends to a device by a route. */
  synchronized void sendFromRun(int device, Route route, Literal value, long maxBytes) {
    queues(device).channel(route).add(reserved(value, maxBytes));
  }

  /** Returns the entry of a value of a run, to whose result it may belong as well. */
  private Entry reserved(Literal value, long maxBytes) {
    long more = bytes(value);
    require(
        more <= maxBytes - bytes,
        Kind.LIMIT,
        "run: %s bytes beside the %s waiting in queues, want at most %s together",
        more,
        bytes,
        maxBytes);
    bytes += more;
    return new Entry(HandedOut.note(value), more);
  }

  private Queues queues(int device) {
    require(device >= 0, "", "transfers: device got %s, want at least 0", device);
    return devices.computeIfAbsent(device, number -> new Queues());
  }

  private ImmutableList<Literal> drained(Deque<Entry> queue) {
    ImmutableList.Builder<Literal> all = ImmutableList.builder();
    for (Optional<Literal> next = next(queue); next.isPresent(); next = next(queue)) {
      all.add(next.get());
    }
    return all.build();
  }

  private static long bytes(Literal value) {
    if (!(value.shape() instanceof Shape.Array array)) {
      return BYTES_OF_AN_ENTRY + value.elements().stream().mapToLong(TransferQueues::bytes).sum();
    }
    long each = Math.max(1, array.elementType().bits() / 8);
    return BYTES_OF_AN_ENTRY + each * value.elementCount();
  }
}
