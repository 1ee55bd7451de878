package org.hlo4j.hlo.op;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Starts a copy of the operand. The result, for {@link CopyDone}, is a tuple of destination, source
 * and a u32 context.
 *
 * @param crossProgramPrefetchIndex the index of the prefetch across programs; empty if it is none
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
