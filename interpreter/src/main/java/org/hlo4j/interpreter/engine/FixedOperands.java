package org.hlo4j.interpreter.engine;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;

/**
 * The values that are the same in each run of a program, constants and bound arguments, and the
 * room for the forms in which kernels keep them.
 */
final class FixedOperands {
  static final FixedOperands NONE = new FixedOperands(instruction -> false, 0);

  private final Predicate<HloInstruction> isBound;
  private final AtomicLong room;

  /**
   * Creates the values of a program.
   *
   * @param isBound whether an instruction is a parameter whose argument is bound
   * @param room the number of bytes that kernels may keep, all together
   */
  FixedOperands(Predicate<HloInstruction> isBound, long room) {
    this.isBound = isBound;
    this.room = new AtomicLong(room);
  }

  /** Returns the kernel of an instruction for its operands that are fixed, if there is room. */
  Kernel specialize(Kernel kernel, HloInstruction instruction) {
    Kernel best = kernel;
    for (int i = 0; i < instruction.operands().size(); i++) {
      HloInstruction operand = instruction.operands().get(i);
      if (isBound.test(operand) || operand.op() instanceof Constant) {
        Kernel fixed = best.withFixedOperand(i);
        long more = fixed.keptBytes() - best.keptBytes();
        if (room.addAndGet(-more) >= 0) {
          best = fixed;
        } else {
          room.addAndGet(more);
        }
      }
    }
    return best;
  }
}
