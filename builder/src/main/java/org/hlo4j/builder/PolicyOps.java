package org.hlo4j.builder;

import java.util.Arrays;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Compare.Direction;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Select;

/**
 * The broadcasting ops of a handle with an explicit {@link BroadcastPolicy}: {@code x.add(v,
 * numpy())}. Otherwise they equal the methods of the same name without a policy.
 */
abstract class PolicyOps extends CompareOps {
  private XlaOp binary(Kind kind, XlaOp rhs, BroadcastPolicy policy) {
    return PolicyLowering.apply(new Elementwise(kind), Arrays.asList((XlaOp) this, rhs), 0, policy);
  }

  /**
   * Brings this alone to the shape that a policy gives it, such as those that {@code
   * org.hlo4j.builder.broadcast.Broadcasts} is made of.
   *
   * @param policy a policy that takes a single operand
   * @return the op
   * @throws HloException if the policy refuses
   */
  public XlaOp broadcast(BroadcastPolicy policy) {
    return PolicyLowering.broadcast((XlaOp) this, policy);
  }

  /**
   * The same as {@link XlaOp#select(XlaOp, XlaOp)}, all three operands broadcast by the policy.
   * XLA's own select broadcasts a scalar pred only. By NumPy's rule the three merge; by
   * PaddlePaddle's, pred and onFalse are each brought to the shape of onTrue, as OpenVINO's code
   * does it: the page of its Select says instead that onTrue and onFalse go onto each other.
   *
   * @param onTrue what to take where this holds
   * @param onFalse what to take elsewhere
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if this is not pred, or element types or shapes are incompatible
   */
  public XlaOp select(XlaOp onTrue, XlaOp onFalse, BroadcastPolicy policy) {
    return PolicyLowering.apply(
        new Select(), Arrays.asList((XlaOp) this, onTrue, onFalse), 1, policy);
  }

  /**
   * The same as {@link XlaOp#clamp(XlaOp, XlaOp)}, all three operands broadcast by the policy; by
   * PaddlePaddle's, the bounds are each brought to the shape of this.
   *
   * @param min the lower bound
   * @param max the upper bound
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp clamp(XlaOp min, XlaOp max, BroadcastPolicy policy) {
    return PolicyLowering.apply(new Clamp(), Arrays.asList(min, (XlaOp) this, max), 1, policy);
  }

  /**
   * The same as {@link #compare(XlaOp, Direction, Optional)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param direction which relation
   * @param type in which order; empty for the default of the element type
   * @param policy how to broadcast
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible, or the order does not suit
   *     the element type
   */
  public XlaOp compare(
      XlaOp rhs, Direction direction, Optional<Compare.Type> type, BroadcastPolicy policy) {
    return PolicyLowering.apply(
        new Compare(direction, type), Arrays.asList((XlaOp) this, rhs), 0, policy);
  }

  /**
   * The same as {@link #add(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp add(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.ADD, rhs, policy);
  }

  /**
   * The same as {@link #and(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp and(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.AND, rhs, policy);
  }

  /**
   * The same as {@link #atan2(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp atan2(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.ATAN2, rhs, policy);
  }

  /**
   * The same as {@link #complex(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp complex(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.MAKE_COMPLEX, rhs, policy);
  }

  /**
   * The same as {@link #div(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp div(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.DIVIDE, rhs, policy);
  }

  /**
   * The same as {@link #max(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp max(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.MAXIMUM, rhs, policy);
  }

  /**
   * The same as {@link #min(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp min(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.MINIMUM, rhs, policy);
  }

  /**
   * The same as {@link #mul(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp mul(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.MULTIPLY, rhs, policy);
  }

  /**
   * The same as {@link #mulhi(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp mulhi(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.MULHI, rhs, policy);
  }

  /**
   * The same as {@link #or(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp or(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.OR, rhs, policy);
  }

  /**
   * The same as {@link #pow(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp pow(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.POWER, rhs, policy);
  }

  /**
   * The same as {@link #rem(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp rem(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.REMAINDER, rhs, policy);
  }

  /**
   * The same as {@link #shiftLeft(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp shiftLeft(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.SHIFT_LEFT, rhs, policy);
  }

  /**
   * The same as {@link #shiftRightArithmetic(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp shiftRightArithmetic(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.SHIFT_RIGHT_ARITHMETIC, rhs, policy);
  }

  /**
   * The same as {@link #shiftRightLogical(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp shiftRightLogical(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.SHIFT_RIGHT_LOGICAL, rhs, policy);
  }

  /**
   * The same as {@link #sub(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp sub(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.SUBTRACT, rhs, policy);
  }

  /**
   * The same as {@link #xor(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp xor(XlaOp rhs, BroadcastPolicy policy) {
    return binary(Kind.XOR, rhs, policy);
  }

  /**
   * The same as {@link #eq(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp eq(XlaOp rhs, BroadcastPolicy policy) {
    return compare(rhs, Direction.EQ, Optional.empty(), policy);
  }

  /**
   * The same as {@link #eqTotalOrder(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp eqTotalOrder(XlaOp rhs, BroadcastPolicy policy) {
    return compare(rhs, Direction.EQ, totalOrder(), policy);
  }

  /**
   * The same as {@link #ne(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp ne(XlaOp rhs, BroadcastPolicy policy) {
    return compare(rhs, Direction.NE, Optional.empty(), policy);
  }

  /**
   * The same as {@link #neTotalOrder(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp neTotalOrder(XlaOp rhs, BroadcastPolicy policy) {
    return compare(rhs, Direction.NE, totalOrder(), policy);
  }

  /**
   * The same as {@link #ge(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp ge(XlaOp rhs, BroadcastPolicy policy) {
    return compare(rhs, Direction.GE, Optional.empty(), policy);
  }

  /**
   * The same as {@link #geTotalOrder(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp geTotalOrder(XlaOp rhs, BroadcastPolicy policy) {
    return compare(rhs, Direction.GE, totalOrder(), policy);
  }

  /**
   * The same as {@link #gt(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp gt(XlaOp rhs, BroadcastPolicy policy) {
    return compare(rhs, Direction.GT, Optional.empty(), policy);
  }

  /**
   * The same as {@link #gtTotalOrder(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp gtTotalOrder(XlaOp rhs, BroadcastPolicy policy) {
    return compare(rhs, Direction.GT, totalOrder(), policy);
  }

  /**
   * The same as {@link #le(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp le(XlaOp rhs, BroadcastPolicy policy) {
    return compare(rhs, Direction.LE, Optional.empty(), policy);
  }

  /**
   * The same as {@link #leTotalOrder(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp leTotalOrder(XlaOp rhs, BroadcastPolicy policy) {
    return compare(rhs, Direction.LE, totalOrder(), policy);
  }

  /**
   * The same as {@link #lt(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp lt(XlaOp rhs, BroadcastPolicy policy) {
    return compare(rhs, Direction.LT, Optional.empty(), policy);
  }

  /**
   * The same as {@link #ltTotalOrder(XlaOp)}, broadcasting by the policy.
   *
   * @param rhs the other operand
   * @param policy how to broadcast
   * @return the op, pred
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp ltTotalOrder(XlaOp rhs, BroadcastPolicy policy) {
    return compare(rhs, Direction.LT, totalOrder(), policy);
  }
}
