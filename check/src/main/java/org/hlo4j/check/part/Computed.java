package org.hlo4j.check.part;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.Interpreter;

/** Values of single instructions, as the reference computes them. */
public final class Computed {
  private Computed() {}

  /**
   * Returns what an op makes of some values.
   *
   * @param op the op
   * @param called the computations that it calls
   * @param operands the values
   * @return the value of its result
   */
  public static Literal of(Op op, List<HloComputation> called, List<Literal> operands) {
    Draft draft = Draft.entry(ImmutableList.of());
    List<HloInstruction> given = new ArrayList<>();
    for (Literal operand : operands) {
      given.add(draft.given(draft.fresh("computed.operand"), operand, operand.shape()));
    }
    HloInstruction root = draft.add("computed", op, given, called);
    return draft.program("computed", root).run(Interpreter.reference());
  }
}
