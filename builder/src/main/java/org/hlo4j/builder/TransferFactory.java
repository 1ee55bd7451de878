package org.hlo4j.builder;

import com.google.common.collect.ImmutableMap;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.RecvDone;
import org.hlo4j.hlo.op.ReplicaId;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.SendDone;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.schema.AttributeText;

/**
 * The transfer ops of a builder, such as infeed, outfeed, send and receive, and the tokens that
 * order them.
 */
abstract class TransferFactory extends WindowFactory {
  /**
   * Returns a new token.
   *
   * @return the token
   */
  public XlaOp createToken() {
    return apply(new AfterAll(), List.of());
  }

  /**
   * Returns a token that comes after all of these.
   *
   * @param tokens the tokens, one at least
   * @return the token
   * @throws HloException if there are none, or one is not a token
   */
  public XlaOp afterAll(XlaOp... tokens) {
    return guarded(
        Arrays.asList(tokens),
        () -> {
          HloException.require(
              tokens.length > 0,
              "",
              "after-all: token count got 0, want at least 1; a new one by createToken");
          return apply(new AfterAll(), Arrays.asList(tokens));
        });
  }

  /**
   * Returns the next value of the infeed queue.
   *
   * @param shape its shape
   * @return the value
   */
  public XlaOp infeed(Shape shape) {
    return guarded(
        List.of(),
        () -> apply(new GetTupleElement(0), List.of(infeedWithToken(createToken(), shape, ""))));
  }

  /**
   * Returns the next value of the infeed queue, in order.
   *
   * @param token what comes before
   * @param shape the shape of the value
   * @param config the configuration passed to the device; may be empty
   * @return a tuple of the value and a token
   * @throws HloException if token is not a token
   */
  public XlaOp infeedWithToken(XlaOp token, Shape shape, String config) {
    return apply(new Infeed(shape, config), Collections.singletonList(token));
  }

  /**
   * Puts a value into the outfeed queue.
   *
   * @param operand the value
   * @return an empty tuple
   */
  public XlaOp outfeed(XlaOp operand) {
    return guarded(
        Collections.singletonList(operand),
        () -> {
          outfeedWithToken(operand, createToken(), operand.shape(), "");
          return apply(new Tuple(), List.of());
        });
  }

  /**
   * Puts a value into the outfeed queue, in order.
   *
   * @param operand the value
   * @param token what comes before
   * @param shapeWithLayout the shape of the value, with the layout wanted outside
   * @param config the configuration passed to the device; may be empty
   * @return a token
   * @throws HloException if token is not a token, or the shape is another
   */
  public XlaOp outfeedWithToken(XlaOp operand, XlaOp token, Shape shapeWithLayout, String config) {
    return apply(new Outfeed(shapeWithLayout, config), Arrays.asList(operand, token));
  }

  /**
   * Sends a value on a channel, and waits until it is sent.
   *
   * @param operand the value
   * @param channelId the channel
   * @return a token
   */
  public XlaOp send(XlaOp operand, long channelId) {
    return guarded(
        Collections.singletonList(operand), () -> sendWithToken(operand, createToken(), channelId));
  }

  /**
   * Sends a value on a channel, in order, and waits until it is sent.
   *
   * @param operand the value
   * @param token what comes before
   * @param channelId the channel
   * @return a token
   * @throws HloException if token is not a token
   */
  public XlaOp sendWithToken(XlaOp operand, XlaOp token, long channelId) {
    return send(operand, token, new Send(channelId, false), ImmutableMap.of());
  }

  /**
   * The same as {@link #sendWithToken(XlaOp, XlaOp, long)}, from device to device.
   *
   * @param operand the value
   * @param token what comes before
   * @param channelId the channel
   * @param sourceTargetPairs pairs of source and target id; a device that is no source sends
   *     nothing
   * @return a token
   * @throws HloException if token is not a token, or the pairs are not of two ids
   */
  public XlaOp sendWithToken(
      XlaOp operand, XlaOp token, long channelId, long[][] sourceTargetPairs) {
    return send(operand, token, new Send(channelId, false), attributes(sourceTargetPairs));
  }

  /**
   * The same as {@link #sendWithToken(XlaOp, XlaOp, long)}, the other side being the host.
   *
   * @param operand the value
   * @param token what comes before
   * @param channelId the channel
   * @return a token
   * @throws HloException if token is not a token
   */
  public XlaOp sendToHost(XlaOp operand, XlaOp token, long channelId) {
    return send(operand, token, new Send(channelId, true), ImmutableMap.of());
  }

  private XlaOp send(XlaOp operand, XlaOp token, Send op, ImmutableMap<String, String> attributes) {
    SendDone done = new SendDone(op.channelId(), op.isHostTransfer());
    return guarded(
        Arrays.asList(operand, token),
        () -> {
          XlaOp sent = apply(op, Arrays.asList(operand, token), List.of(), attributes);
          return apply(done, List.of(sent), List.of(), attributes);
        });
  }

  /** Returns the pairs in XLA's form, as an attribute that no op interprets. */
  private ImmutableMap<String, String> attributes(long[][] sourceTargetPairs) {
    return guarded(
        List.of(),
        () -> {
          HloException.require(
              Arrays.stream(sourceTargetPairs)
                  .allMatch(pair -> pair.length == 2 && pair[0] >= 0 && pair[1] >= 0),
              "",
              "send/recv: source_target_pairs got %s, want pairs of a source and a target",
              Arrays.deepToString(sourceTargetPairs));
          String pairs =
              Arrays.stream(sourceTargetPairs)
                  .map(pair -> "{" + pair[0] + "," + pair[1] + "}")
                  .collect(Collectors.joining(",", "{", "}"));
          return ImmutableMap.of(
              "frontend_attributes",
              AttributeText.frontendAttributes(
                  ImmutableMap.of("_xla_send_recv_source_target_pairs", pairs)));
        });
  }

  /**
   * Receives a value from a channel, and waits until it is there.
   *
   * @param shape the shape of the value
   * @param channelId the channel
   * @return the value
   */
  public XlaOp recv(Shape shape, long channelId) {
    return guarded(
        List.of(),
        () ->
            apply(new GetTupleElement(0), List.of(recvWithToken(createToken(), shape, channelId))));
  }

  /**
   * Receives a value from a channel, in order, and waits until it is there.
   *
   * @param token what comes before
   * @param shape the shape of the value
   * @param channelId the channel
   * @return a tuple of the value and a token
   * @throws HloException if token is not a token
   */
  public XlaOp recvWithToken(XlaOp token, Shape shape, long channelId) {
    return recv(token, new Recv(shape, channelId, false), ImmutableMap.of());
  }

  /**
   * The same as {@link #recvWithToken(XlaOp, Shape, long)}, from device to device.
   *
   * @param token what comes before
   * @param shape the shape of the value
   * @param channelId the channel
   * @param sourceTargetPairs pairs of source and target id; a device that is no target gets zeros
   * @return a tuple of the value and a token
   * @throws HloException if token is not a token, or the pairs are not of two ids
   */
  public XlaOp recvWithToken(XlaOp token, Shape shape, long channelId, long[][] sourceTargetPairs) {
    return recv(token, new Recv(shape, channelId, false), attributes(sourceTargetPairs));
  }

  /**
   * The same as {@link #recvWithToken(XlaOp, Shape, long)}, the other side being the host.
   *
   * @param token what comes before
   * @param shape the shape of the value
   * @param channelId the channel
   * @return a tuple of the value and a token
   * @throws HloException if token is not a token
   */
  public XlaOp recvFromHost(XlaOp token, Shape shape, long channelId) {
    return recv(token, new Recv(shape, channelId, true), ImmutableMap.of());
  }

  private XlaOp recv(XlaOp token, Recv op, ImmutableMap<String, String> attributes) {
    RecvDone done = new RecvDone(op.channelId(), op.isHostTransfer());
    return guarded(
        Collections.singletonList(token),
        () -> {
          XlaOp awaited = apply(op, Collections.singletonList(token), List.of(), attributes);
          return apply(done, List.of(awaited), List.of(), attributes);
        });
  }

  /**
   * Returns the number of the replica that runs this.
   *
   * @return a u32 scalar
   */
  public XlaOp replicaId() {
    return apply(new ReplicaId(), List.of());
  }
}
