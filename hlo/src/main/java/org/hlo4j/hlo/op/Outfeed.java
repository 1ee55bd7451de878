package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.Shape;

/**
 * Puts a value into the outfeed queue. Operands: the value and a token; the result is a token.
 *
 * @param outfeedShape the shape of the value, with the layout that the host expects
 * @param outfeedConfig the configuration passed to the device; may be empty
 */
public record Outfeed(Shape outfeedShape, String outfeedConfig) implements ForwardingOp {
  @Override
  public String opcode() {
    return "outfeed";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(2);
  }

  @Override
  public Shape resultShape(Operands in) {
    in.requireToken(1, "token");
    require(
        outfeedShape.compatible(in.shapes().get(0)),
        "",
        "outfeed_shape got %s, want %s as the operand",
        outfeedShape,
        in.shapes().get(0));
    return Shape.token();
  }
}
