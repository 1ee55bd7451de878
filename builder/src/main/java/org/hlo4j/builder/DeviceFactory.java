package org.hlo4j.builder;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.AllGather;
import org.hlo4j.hlo.op.AllReduce;
import org.hlo4j.hlo.op.AllToAll;
import org.hlo4j.hlo.op.CollectiveBroadcast;
import org.hlo4j.hlo.op.CollectivePermute;

/** The collectives with several operands. */
abstract class DeviceFactory extends LogicFactory {
  /**
   * Reduces several arrays of one element type over devices at once.
   *
   * @param operands the arrays
   * @param body from two scalars to one; it should be associative and commutative
   * @param participants the devices that take part
   * @return the tuple of results, or the one result if there is one operand
   * @throws HloException if the groups are wrong, or the body's result is of another type
   */
  public XlaOp allReduceTuple(
      List<XlaOp> operands, BinaryOperator<XlaOp> body, Participants participants) {
    return guarded(
        operands,
        () -> {
          AllReduce op =
              new AllReduce(
                  participants.channelId(),
                  participants.replicaGroups(),
                  false,
                  participants.useGlobalDeviceIds());
          HloException.require(
              !operands.isEmpty(), "", "all-reduce: operand count got 0, want at least 1");
          ElementType type = operands.get(0).arrayShape("all-reduce").elementType();
          return append(op, operands, List.of(scalarBody(type, body)));
        });
  }

  /**
   * Sends operand i to device i.
   *
   * @param operands arrays of the same shape, one for each device of a group
   * @param participants the devices that take part; without global device ids
   * @return the tuple of what came, in the order of the group
   * @throws HloException if shapes differ or the groups are wrong
   */
  public XlaOp allToAllTuple(List<XlaOp> operands, Participants participants) {
    return apply(
        new AllToAll(
            participants.channelId(), participants.replicaGroups(), false, Optional.empty()),
        operands);
  }

  /**
   * Reduces several arrays of one element type over devices at once with a computation already
   * built.
   *
   * @param operands the arrays
   * @param body from two scalars to one; it should be associative and commutative
   * @param participants the devices that take part
   * @return the tuple of results, or the one result if there is one operand
   * @throws HloException if the groups are wrong, or the signature is another
   */
  public XlaOp allReduceTuple(
      List<XlaOp> operands, HloComputation body, Participants participants) {
    return apply(
        new AllReduce(
            participants.channelId(),
            participants.replicaGroups(),
            false,
            participants.useGlobalDeviceIds()),
        operands,
        Collections.singletonList(body));
  }

  /**
   * Concatenates several arrays over devices at once.
   *
   * @param operands the arrays
   * @param allGatherDimension the dimension along which to concatenate
   * @param shardCount how many devices take part together
   * @param participants the devices that take part
   * @return the tuple of results, or the one result if there is one operand
   * @throws HloException if there is no such dimension, a size overflows, or groups are wrong
   */
  public XlaOp allGatherTuple(
      List<XlaOp> operands, int allGatherDimension, long shardCount, Participants participants) {
    return guarded(
        operands,
        () -> {
          HloException.require(
              !operands.isEmpty(), "", "all-gather: operand count got 0, want at least 1");
          ImmutableList<Shape> shapes =
              operands.stream()
                  .map(operand -> operand.gathered(allGatherDimension, shardCount))
                  .collect(ImmutableList.toImmutableList());
          AllGather op =
              new AllGather(
                  participants.channelId(),
                  participants.replicaGroups(),
                  false,
                  Dims.of(allGatherDimension),
                  participants.useGlobalDeviceIds(),
                  shapes.size() == 1 ? shapes.get(0) : new Shape.Tuple(shapes));
          return append(op, operands, List.of());
        });
  }

  /**
   * Gives every device of a group the values of the first one; a device in no group gets zeros.
   *
   * @param operands the arrays
   * @param participants the devices that take part; without global device ids
   * @return the tuple of results, or the one result if there is one operand
   * @throws HloException if the groups are wrong
   */
  public XlaOp collectiveBroadcast(List<XlaOp> operands, Participants participants) {
    return apply(
        new CollectiveBroadcast(participants.channelId(), participants.replicaGroups()), operands);
  }

  /**
   * Sends several values from device to device; one that nobody sends to gets zeros.
   *
   * @param operands the arrays
   * @param channelId the channel if ids number partitions; empty if they number replicas
   * @param sourceTargetPairs pairs of source and target id
   * @return the tuple of results, or the one result if there is one operand
   * @throws HloException if a source or a target occurs twice
   */
  public XlaOp multiCollectivePermute(
      List<XlaOp> operands, Optional<Long> channelId, long[]... sourceTargetPairs) {
    ImmutableList<Dims> pairs =
        Arrays.stream(sourceTargetPairs).map(Dims::of).collect(ImmutableList.toImmutableList());
    return apply(new CollectivePermute(channelId, pairs), operands);
  }

  /** Returns a computation of two scalars. */
  final HloComputation scalarBody(ElementType type, BinaryOperator<XlaOp> body) {
    Shape scalar = Shape.of(type);
    return computation(
        "region", List.of(scalar, scalar), (inner, p) -> body.apply(p.get(0), p.get(1)), HAND_IN);
  }
}
