package org.hlo4j.builder;

import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.AllReduce;
import org.hlo4j.hlo.op.AllToAll;

/** Collectives of several operands. */
abstract class DeviceFactory extends OpFactory {
  /**
   * Reduces several arrays of one element type over devices at once.
   *
   * @param operands the arrays
   * @param body from two scalars to one; it should be associative and commutative
   * @param participants who takes part together
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
   * @param participants who takes part together; without global device ids
   * @return the tuple of what came, in the order of the group
   * @throws HloException if shapes differ or the groups are wrong
   */
  public XlaOp allToAllTuple(List<XlaOp> operands, Participants participants) {
    return apply(
        new AllToAll(
            participants.channelId(), participants.replicaGroups(), false, Optional.empty()),
        operands);
  }

  /** A computation of two scalars. */
  final HloComputation scalarBody(ElementType type, BinaryOperator<XlaOp> body) {
    Shape scalar = Shape.of(type);
    return computation(
        "region", List.of(scalar, scalar), (inner, p) -> body.apply(p.get(0), p.get(1)));
  }
}
