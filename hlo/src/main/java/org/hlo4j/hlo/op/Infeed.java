package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.Shape;

/**
 * Takes a value from the infeed queue. The result is a tuple of the value and a token. The operand
 * is a token.
 *
 * @param shape the shape of the value
 * @param infeedConfig the configuration passed to the device; may be empty
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
