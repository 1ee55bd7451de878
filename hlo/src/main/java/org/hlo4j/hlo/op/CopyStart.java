package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Begins to copy the operand: a tuple of destination, source and a u32 context, for {@link
 * CopyDone}.
 *
 * @param crossProgramPrefetchIndex which prefetch across programs it is; empty if none
 */
public record CopyStart(Optional<Integer> crossProgramPrefetchIndex) implements ForwardingOp {
  @Override
  public String opcode() {
    return "copy-start";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape operand = in.shapes().get(0).withoutLayout();
    return new Shape.Tuple(ImmutableList.of(operand, operand, Shape.of(ElementType.U32)));
  }
}
