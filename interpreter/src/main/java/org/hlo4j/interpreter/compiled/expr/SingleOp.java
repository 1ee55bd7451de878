package org.hlo4j.interpreter.compiled.expr;

import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Parameter;

/** Recognizes computations that apply one op to their two parameters. */
public final class SingleOp {
  private SingleOp() {}

  /** {@return the op, if a computation does nothing else; its operands may be in any order} */
  public static Optional<Elementwise.Kind> of(HloComputation computation) {
    List<HloInstruction> operands = computation.root().operands();
    return computation.root().op() instanceof Elementwise op
            && computation.parameters().size() == 2
            && operands.size() == 2
            && operands.get(0) != operands.get(1)
            && operands.stream().allMatch(operand -> operand.op() instanceof Parameter)
        ? Optional.of(op.kind())
        : Optional.empty();
  }
}
