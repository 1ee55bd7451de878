package org.hlo4j.check.compare;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.Interpreter;

/** Values of single instructions, as the reference computes them. */
final class Computed {
  private Computed() {}

  /** Returns what an op makes of some values. */
  static Literal of(Op op, List<HloComputation> called, List<Literal> operands) {
    List<HloInstruction> parameters = new ArrayList<>();
    for (int i = 0; i < operands.size(); i++) {
      Parameter parameter = new Parameter(i, operands.get(i).shape());
      parameters.add(HloInstruction.of("computed.operand." + i, parameter));
    }
    Shape shape = op.infer(HloInstruction.inputs(parameters, called));
    HloInstruction root =
        HloInstruction.create("computed", op, parameters, called, shape, Metadata.NONE);
    List<HloInstruction> all = new ArrayList<>(parameters);
    all.add(root);
    HloComputation entry = HloComputation.create("computed.entry", all, root);
    return Interpreter.reference()
        .run(HloModule.create("computed", entry), operands.toArray(Literal[]::new));
  }
}
