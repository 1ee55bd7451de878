package org.hlo4j.interpreter.engine;

import java.util.List;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.ModuleCopy;
import org.hlo4j.hlo.op.CustomCall;

/**
 * Gives each call of {@code SPMDFullToShardShape} the sharding of its operand, which says how it
 * cuts that. Its own, {@code manual}, says nothing, and passes may put another operand in its
 * place.
 */
final class OperandShardings extends ModuleCopy {
  private OperandShardings() {}

  static HloModule move(HloModule module) {
    return new OperandShardings().copy(module);
  }

  private static boolean cuts(HloInstruction instruction) {
    return instruction.op() instanceof CustomCall call
        && call.customCallTarget().equals("SPMDFullToShardShape")
        && instruction.operands().size() == 1
        && !instruction.sharding().equals(instruction.operands().get(0).sharding());
  }

  @Override
  protected boolean changes(HloComputation computation) {
    return computation.instructions().stream().anyMatch(OperandShardings::cuts);
  }

  @Override
  protected void write(
      HloComputation computation, HloInstruction instruction, List<HloInstruction> to) {
    HloInstruction copy = updated(instruction);
    replace(
        instruction,
        cuts(instruction) ? copy.withSharding(copy.operands().get(0).sharding()) : copy,
        to);
  }
}
