package org.hlo4j.builder;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.op.Elementwise.Kind;

/**
 * The method names that Kotlin requires for operators, where XLA has other names: in Kotlin {@code
 * -x * y + 1} is {@code x.neg().mul(y).add(1)}. {@code div}, {@code rem} and {@code not} have the
 * right names already.
 */
abstract class OperatorOps extends NumberOps {
  /**
   * The same as {@link #add(XlaOp)}, for Kotlin's {@code x + y}.
   *
   * @param rhs the other operand
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp plus(XlaOp rhs) {
    return add(rhs);
  }

  /**
   * The same as {@link #add(double)}, for Kotlin's {@code x + 1}; see {@link #scalarLike}.
   *
   * @param number the other operand
   * @return the op
   * @throws HloException if the element type does not take the number or the op
   */
  public XlaOp plus(Number number) {
    return with(Kind.ADD, number);
  }

  /**
   * The same as {@link #sub(XlaOp)}, for Kotlin's {@code x - y}.
   *
   * @param rhs the other operand
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp minus(XlaOp rhs) {
    return sub(rhs);
  }

  /**
   * The same as {@link #sub(double)}, for Kotlin's {@code x - 1}; see {@link #scalarLike}.
   *
   * @param number the other operand
   * @return the op
   * @throws HloException if the element type does not take the number or the op
   */
  public XlaOp minus(Number number) {
    return with(Kind.SUBTRACT, number);
  }

  /**
   * The same as {@link #mul(XlaOp)}, for Kotlin's {@code x * y}.
   *
   * @param rhs the other operand
   * @return the op
   * @throws HloException if element types or shapes are incompatible
   */
  public XlaOp times(XlaOp rhs) {
    return mul(rhs);
  }

  /**
   * The same as {@link #mul(double)}, for Kotlin's {@code x * 2}; see {@link #scalarLike}.
   *
   * @param number the other operand
   * @return the op
   * @throws HloException if the element type does not take the number or the op
   */
  public XlaOp times(Number number) {
    return with(Kind.MULTIPLY, number);
  }

  /**
   * The same as {@link #neg}, for Kotlin's {@code -x}.
   *
   * @return the op
   * @throws HloException if the op does not take the element type
   */
  public XlaOp unaryMinus() {
    return neg();
  }
}
