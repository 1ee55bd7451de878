package org.hlo4j.interpreter.reference;

import org.hlo4j.hlo.op.Elementwise;

/** What an element-wise op computes of complex numbers. */
public final class ComplexFunction {
  private final ScalarFunction function;

  /**
   * The function of an op.
   *
   * @param kind the op, one that takes complex numbers
   */
  public ComplexFunction(Elementwise.Kind kind) {
    this.function = ScalarFunction.of(kind);
  }

  /**
   * {@return its value; where that is real, the imaginary part is 0}
   *
   * @param lhs the first operand
   * @param rhs the second one; of a function of one operand any number
   */
  public Complex apply(Complex lhs, Complex rhs) {
    return function.onComplex(lhs, rhs);
  }
}
