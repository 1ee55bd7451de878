package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.Shape;

/**
 * An element of a tuple.
 *
 * @param index the index of the element, from 0
 */
public record GetTupleElement(int index) implements ForwardingOp {
  @Override
  public String opcode() {
    return "get-tuple-element";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Tuple operand = in.tuple(0, "operand");
    require(
        index >= 0 && index < operand.elements().size(),
        "get_tuple_element C1",
        "index got %s, want below %s, the size of %s",
        index,
        operand.elements().size(),
        operand);
    return operand.elements().get(index);
  }
}
