package org.hlo4j.builder;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.op.Elementwise.Kind;

/**
 * The names by which Kotlin takes methods for operators, where XLA has others: in Kotlin {@code -x
 * * y + 1} is {@code x.neg().mul(y).add(1)}. {@code div}, {@code rem} and {@code not} have the
 * right names already.
 */
abstract class OperatorOps extends NumberOps {
  /**
   * As {@link #add(XlaOp)}, for Kotlin's {@code x + y}.
   *
   * @param rhs the other operand
   * @return the op
   * @throws HloException if element types or shapes do not go together
   */
  public XlaOp plus(XlaOp rhs) {
    return add(rhs);
  }

  /**
   * As {@link #add(double)}, for Kotlin's {@code x + 1}; see {@link #scalarLike}.
   *
   * @param number the other operand
   * @return the op
   * @throws HloException if the element type does not take the number or the op
   */
  public XlaOp plus(Number number) {
    return with(Kind.ADD, number);
  }

  /**
   * As {@link #sub(XlaOp)}, for Kotlin's {@code x - y}.
   *
   * @param rhs the other operand
   * @return the op
   * @throws HloException if element types or shapes do not go together
   */
  public XlaOp minus(XlaOp rhs) {
    return sub(rhs);
  }

  /**
   * As {@link #sub(double)}, for Kotlin's {@code x - 1}; see {@link #scalarLike}.
   *
   * @param number the other operand
   * @return the op
   * @throws HloException if the element type does not take the number or the op
   */
  public XlaOp minus(Number number) {
    return with(Kind.SUBTRACT, number);
  }

  /**
   * As {@link #mul(XlaOp)}, for Kotlin's {@code x * y}.
   *
   * @param rhs the other operand
   * @return the op
   * @throws HloException if element types or shapes do not go together
   */
  public XlaOp times(XlaOp rhs) {
    return mul(rhs);
  }

  /**
   * As {@link #mul(double)}, for Kotlin's {@code x * 2}; see {@link #scalarLike}.
   *
   * @param number the other operand
   * @return the op
   * @throws HloException if the element type does not take the number or the op
   */
  public XlaOp times(Number number) {
    return with(Kind.MULTIPLY, number);
  }

  /**
   * As {@link #neg}, for Kotlin's {@code -x}.
   *
   * @return the op
   * @throws HloException if the op does not take the element type
   */
  public XlaOp unaryMinus() {
    return neg();
  }
}
