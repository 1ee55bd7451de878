package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/** Completes a {@link CopyStart}, its operand, and returns the copy. */
public record CopyDone() implements ForwardingOp {
  @Override
  public String opcode() {
    return "copy-done";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Tuple operand = in.tuple(0, "operand");
    require(
        operand.elements().size() == 3
            && operand.elements().get(0).compatible(operand.elements().get(1))
            && operand.elements().get(2).compatible(Shape.of(ElementType.U32)),
        "",
        "operand got %s, want (destination, source, u32[]) of a copy-start",
        operand);
    return operand.elements().get(0).withoutLayout();
  }
}
