package org.hlo4j.builder;

import java.util.Arrays;
import java.util.List;
import java.util.function.BinaryOperator;
import org.hlo4j.hlo.HloException;

/** The logical ops with any number of operands. */
abstract class LogicFactory extends OpFactory {
  /**
   * Returns the and of all, bit by bit: {@code a.and(b.and(c))}. With one operand, that operand is
   * returned.
   *
   * @param operands pred or integers, one at least, broadcast as {@link XlaOp#and(XlaOp)} does
   * @return the op
   * @throws HloException if there is none, or types or sizes are incompatible
   */
  public XlaOp and(XlaOp... operands) {
    return nested("and", Arrays.asList(operands), (a, b) -> a.and(b));
  }

  /**
   * Returns the or of all, bit by bit: {@code a.or(b.or(c))}. With one operand, that operand is
   * returned.
   *
   * @param operands pred or integers, one at least, broadcast as {@link XlaOp#or(XlaOp)} does
   * @return the op
   * @throws HloException if there is none, or types or sizes are incompatible
   */
  public XlaOp or(XlaOp... operands) {
    return nested("or", Arrays.asList(operands), (a, b) -> a.or(b));
  }

  private XlaOp nested(String opcode, List<XlaOp> operands, BinaryOperator<XlaOp> op) {
    return guarded(
        operands,
        () -> {
          HloException.require(
              !operands.isEmpty(), "", "%s: operand count got 0, want at least 1", opcode);
          XlaOp result = operands.get(operands.size() - 1);
          for (int i = operands.size() - 2; i >= 0; i--) {
            result = op.apply(operands.get(i), result);
          }
          return result;
        });
  }
}
