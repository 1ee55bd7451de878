package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Shape;

/**
 * A value from the queue of those handed in from outside: a tuple of the value and a token. The
 * operand is a token.
 *
 * @param shape the shape of the value
 * @param infeedConfig what the device is told; empty if nothing
 */
public record Infeed(Shape shape, String infeedConfig) implements ForwardingOp {
  @Override
  public String opcode() {
    return "infeed";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    in.requireToken(0, "token");
    return new Shape.Tuple(ImmutableList.of(shape.withoutLayout(), Shape.token()));
  }
}
