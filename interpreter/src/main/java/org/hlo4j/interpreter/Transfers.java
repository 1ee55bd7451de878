package org.hlo4j.interpreter;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/**
 * The queues between a run and the world outside: values to feed in, values fed out, and channels
 * for send and receive. First in, first out. Safe for use by several threads at once.
 *
 * <pre>{@code
 * Transfers transfers = new Transfers().feedIn(batch1, batch2);
 * Interpreter.reference(EvaluatorOptions.defaults().withTransfers(transfers)).run(module);
 * List<Literal> results = transfers.takeFedOut();
 * }</pre>
 */
public final class Transfers {
  private static final long BYTES_OF_AN_ENTRY = 128;

  private final Deque<Literal> infeed = new ArrayDeque<>();
  private final Deque<Literal> outfeed = new ArrayDeque<>();
  private final Map<Long, Deque<Literal>> channels = new HashMap<>();
  private long bytes;

  /** Empty queues. */
  public Transfers() {}

  /**
   * Puts values at the end of what infeed takes.
   *
   * @param values the values, in order
   * @return these queues
   */
  public synchronized Transfers feedIn(Literal... values) {
    Collections.addAll(infeed, values);
    return this;
  }

  /**
   * Takes all that outfeed has given so far.
   *
   * @return the values, in order
   */
  public synchronized ImmutableList<Literal> takeFedOut() {
    return drained(outfeed);
  }

  /**
   * Puts a value on a channel, for the run to receive.
   *
   * @param channelId the channel
   * @param value the value
   * @return these queues
   */
  public synchronized Transfers send(long channelId, Literal value) {
    channel(channelId).add(value);
    return this;
  }

  /**
   * Takes all that waits on a channel.
   *
   * @param channelId the channel
   * @return the values, in order
   */
  public synchronized ImmutableList<Literal> takeSent(long channelId) {
    return drained(channel(channelId));
  }

  /**
   * The next value of infeed, if there is one. For evaluators.
   *
   * @return the value, taken from the queue
   */
  public synchronized Optional<Literal> nextInfeed() {
    return Optional.ofNullable(infeed.poll());
  }

  /**
   * The next value of a channel, if there is one. For evaluators.
   *
   * @param channelId the channel
   * @return the value, taken from the queue
   */
  public synchronized Optional<Literal> nextReceived(long channelId) {
    Optional<Literal> next = Optional.ofNullable(channel(channelId).poll());
    next.ifPresent(value -> bytes -= Math.min(bytes, bytes(value)));
    return next;
  }

  /**
   * Puts a value at the end of what outfeed gives. For evaluators.
   *
   * @param value the value
   * @param maxBytes how much the run may have put into the queues and left there
   * @throws org.hlo4j.hlo.HloException if it would be more
   */
  public synchronized void feedOut(Literal value, long maxBytes) {
    requireRoom(value, maxBytes);
    outfeed.add(value);
  }

  /**
   * Puts a value that a run sends on a channel. For evaluators.
   *
   * @param channelId the channel
   * @param value the value
   * @param maxBytes how much the run may have put into the queues and left there
   * @throws org.hlo4j.hlo.HloException if it would be more
   */
  public synchronized void sendFromRun(long channelId, Literal value, long maxBytes) {
    requireRoom(value, maxBytes);
    channel(channelId).add(value);
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

  private Deque<Literal> channel(long channelId) {
    return channels.computeIfAbsent(channelId, id -> new ArrayDeque<>());
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
