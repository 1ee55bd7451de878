package org.hlo4j.interpreter;

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

/**
 * The queues between a run and the world outside: values to feed in, values fed out, and channels
 * for send and receive. Each device has its own, first in, first out; so what a device gets does
 * not depend on how fast others are. {@link Evaluator#run} is device 0.
 *
 * <pre>{@code
 * Transfers transfers = new Transfers().feedIn(batch1, batch2);
 * Interpreter.reference(EvaluatorOptions.defaults().withTransfers(transfers)).run(module);
 * List<Literal> results = transfers.takeFedOut();
 * }</pre>
 *
 * <p>What one device sends to another by source-target pairs does not come here; see {@link
 * Evaluator#runOnDevices}. Safe for use by several threads at once.
 */
public final class Transfers {
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

  /** Empty queues. */
  public Transfers() {}

  /**
   * Puts values at the end of what infeed takes on device 0.
   *
   * @param values the values, in order
   * @return these queues
   */
  public Transfers feedIn(Literal... values) {
    return feedInto(0, values);
  }

  /**
   * Puts values at the end of what infeed takes on a device.
   *
   * @param device the number of the device
   * @param values the values, in order
   * @return these queues
   * @throws org.hlo4j.hlo.HloException if the number is negative
   */
  public synchronized Transfers feedInto(int device, Literal... values) {
    Collections.addAll(queues(device).infeed, values);
    return this;
  }

  /**
   * Takes all that outfeed has given so far.
   *
   * @return the values: those of device 0 in order, then those of device 1, and so on
   */
  public synchronized ImmutableList<Literal> takeFedOut() {
    return devices.values().stream()
        .flatMap(queues -> drained(queues.outfeed).stream())
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Takes all that outfeed has given so far on a device.
   *
   * @param device the number of the device
   * @return the values, in order
   * @throws org.hlo4j.hlo.HloException if the number is negative
   */
  public synchronized ImmutableList<Literal> takeFedOut(int device) {
    return drained(queues(device).outfeed);
  }

  /**
   * Puts a value on a channel, for device 0 to receive.
   *
   * @param channelId the channel
   * @param value the value
   * @return these queues
   */
  public Transfers send(long channelId, Literal value) {
    return sendTo(0, channelId, value);
  }

  /**
   * Puts a value on a channel, for a device to receive.
   *
   * @param device the number of the device
   * @param channelId the channel
   * @param value the value
   * @return these queues
   * @throws org.hlo4j.hlo.HloException if the number is negative
   */
  public synchronized Transfers sendTo(int device, long channelId, Literal value) {
    queues(device).channel(channelId).add(value);
    return this;
  }

  /**
   * Takes all that waits on a channel.
   *
   * @param channelId the channel
   * @return the values: those of device 0 in order, then those of device 1, and so on
   */
  public synchronized ImmutableList<Literal> takeSent(long channelId) {
    return devices.values().stream()
        .flatMap(queues -> drained(queues.channel(channelId)).stream())
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Takes all that waits on a channel of a device.
   *
   * @param device the number of the device
   * @param channelId the channel
   * @return the values, in order
   * @throws org.hlo4j.hlo.HloException if the number is negative
   */
  public synchronized ImmutableList<Literal> takeSent(int device, long channelId) {
    return drained(queues(device).channel(channelId));
  }

  /**
   * The next value of infeed on a device, if there is one. For evaluators.
   *
   * @param device the number of the device
   * @return the value, taken from the queue
   */
  public synchronized Optional<Literal> nextInfeed(int device) {
    return Optional.ofNullable(queues(device).infeed.poll());
  }

  /**
   * The next value of a channel on a device, if there is one. For evaluators.
   *
   * @param device the number of the device
   * @param channelId the channel
   * @return the value, taken from the queue
   */
  public synchronized Optional<Literal> nextReceived(int device, long channelId) {
    Optional<Literal> next = Optional.ofNullable(queues(device).channel(channelId).poll());
    next.ifPresent(value -> bytes -= Math.min(bytes, bytes(value)));
    return next;
  }

  /**
   * Puts a value at the end of what outfeed gives on a device. For evaluators.
   *
   * @param device the number of the device
   * @param value the value
   * @param maxBytes how much the run may have put into the queues and left there
   * @throws org.hlo4j.hlo.HloException if it would be more
   */
  public synchronized void feedOut(int device, Literal value, long maxBytes) {
    requireRoom(value, maxBytes);
    queues(device).outfeed.add(value);
  }

  /**
   * Puts a value that a run sends on a channel of a device. For evaluators.
   *
   * @param device the number of the device
   * @param channelId the channel
   * @param value the value
   * @param maxBytes how much the run may have put into the queues and left there
   * @throws org.hlo4j.hlo.HloException if it would be more
   */
  public synchronized void sendFromRun(int device, long channelId, Literal value, long maxBytes) {
    requireRoom(value, maxBytes);
    queues(device).channel(channelId).add(value);
  }

  private void requireRoom(Literal value, long maxBytes) {
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
    return values.stream().mapToLong(Transfers::bytes).sum();
  }

  private static long bytes(Literal value) {
    if (!(value.shape() instanceof Shape.Array array)) {
      return BYTES_OF_AN_ENTRY + total(value.elements());
    }
    long each = Math.max(1, array.elementType().bits() / 8);
    return BYTES_OF_AN_ENTRY + each * value.elementCount();
  }
}
