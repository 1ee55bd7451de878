package org.hlo4j.interpreter.reference;

import java.util.Optional;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.PassingOn;

/** The plan of a program as text: a line for each instruction, saying what computes it. */
final class Explanation {
  private final Program program;
  private final StringBuilder text = new StringBuilder();

  Explanation(Program program) {
    this.program = program;
    program.module().computations().forEach(this::append);
  }

  private void append(HloComputation computation) {
    Schedule schedule = program.schedule(computation);
    text.append(computation.name()).append('\n');
    for (int i = 0; i < schedule.size(); i++) {
      HloInstruction instruction = schedule.instruction(i);
      text.append(
          String.format(
              "  %-24s %-20s %s%n",
              instruction.name(),
              instruction.shape().withoutLayout(),
              Optional.ofNullable(schedule.kernel(i))
                  .map(kernel -> kernel.describe())
                  .orElse(
                      (instruction.op() instanceof PassingOn ? "" : "reference: ")
                          + instruction.op().opcode())));
    }
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
