package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * A parameter of the computation.
 *
 * @param number its number, from 0
 * @param shape its shape
 */
public record Parameter(int number, Shape shape) implements ForwardingOp {
  /**
   * Checks the number.
   *
   * @throws HloException if it is negative
   */
  public Parameter {
    require(number >= 0, "", "parameter: number got %s, want at least 0", number);
  }

  @Override
  public String opcode() {
    return "parameter";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(0);
  }

  @Override
  public Shape resultShape(Operands in) {
    return shape;
  }
}
