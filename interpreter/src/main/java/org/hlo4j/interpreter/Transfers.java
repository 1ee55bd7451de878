package org.hlo4j.interpreter;

import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.engine.TransferQueues;

/**
 * The queues between a run and its environment: values for infeed, values from outfeed, and
 * channels for send and receive. Each device has its own queues, first in, first out, so that the
 * values a device receives do not depend on the speed of others. {@link Evaluator#run} is device 0.
 *
 * <pre>{@code
 * Transfers transfers = Transfers.create().feedIn(batch1, batch2);
 * Interpreter.reference(EvaluatorOptions.builder().transfers(transfers).build()).run(module);
 * List<Literal> results = transfers.takeFedOut();
 * }</pre>
 *
 * <p>Nobody may write to the arrays of what waits here or has passed through: what is fed in is not
 * copied, and what comes out may be kept.
 *
 * <p>Values that one device sends to another by source-target pairs do not pass through these
 * queues; see {@link Evaluator#runOnDevices}. Safe for use by several threads at once. Instances
 * come from {@link #create} only.
 */
@SuppressWarnings("exports") // annotations for the compiler only
public interface Transfers {
  /**
   * Creates empty queues.
   *
   * @return new queues
   */
  static Transfers create() {
    return new TransferQueues();
  }

  /**
   * Appends values to the infeed queue of device 0.
   *
   * @param values the values, in order
   * @return these queues
   */
  @CanIgnoreReturnValue
  Transfers feedIn(Literal... values);

  /**
   * Appends values to the infeed queue of a device.
   *
   * @param device the number of the device
   * @param values the values, in order
   * @return these queues
   * @throws org.hlo4j.hlo.HloException if the number is negative
   */
  @CanIgnoreReturnValue
  Transfers feedInto(int device, Literal... values);

  /**
   * Removes and returns all values that outfeed has produced so far.
   *
   * @return the values: those of device 0 in order, then those of device 1, and so on
   */
  ImmutableList<Literal> takeFedOut();

  /**
   * Removes and returns all values that outfeed has produced so far on a device.
   *
   * @param device the number of the device
   * @return the values, in order
   * @throws org.hlo4j.hlo.HloException if the number is negative
   */
  ImmutableList<Literal> takeFedOut(int device);

  /**
   * Puts a value on a channel, for device 0 to receive.
   *
   * @param channelId the channel
   * @param value the value
   * @return these queues
   */
  @CanIgnoreReturnValue
  Transfers send(long channelId, Literal value);

  /**
   * Puts a value on a channel, for a device to receive.
   *
   * @param device the number of the device
   * @param channelId the channel
   * @param value the value
   * @return these queues
   * @throws org.hlo4j.hlo.HloException if the number is negative
   */
  @CanIgnoreReturnValue
  Transfers sendTo(int device, long channelId, Literal value);

  /**
   * Removes and returns all values that wait on a channel.
   *
   * @param channelId the channel
   * @return the values: those of device 0 in order, then those of device 1, and so on
   */
  ImmutableList<Literal> takeSent(long channelId);

  /**
   * Removes and returns all values that wait on a channel of a device.
   *
   * @param device the number of the device
   * @param channelId the channel
   * @return the values, in order
   * @throws org.hlo4j.hlo.HloException if the number is negative
   */
  ImmutableList<Literal> takeSent(int device, long channelId);
}
