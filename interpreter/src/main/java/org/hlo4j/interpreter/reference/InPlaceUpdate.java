package org.hlo4j.interpreter.reference;

import java.util.Arrays;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A kernel for dynamic-update-slice that writes into the storage of its operand if nothing else
 * needs it. A loop that fills an array slice by slice then writes each element once.
 */
record InPlaceUpdate(Shape.Array shape) implements Kernel {
  /**
   * Selects the kernel of the reference evaluator. This is the only op there that may reuse the
   * storage of an operand.
   */
  static KernelChoice of(HloInstruction instruction) {
    return instruction.op() instanceof DynamicUpdateSlice
            && instruction.shape().withoutLayout() instanceof Shape.Array shape
        ? KernelChoice.of(new InPlaceUpdate(shape))
        : KernelChoice.NONE;
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    return Boxes.dynamicUpdateSlice(Arrays.asList(operands), context.allocate(shape));
  }

  @Override
  public boolean canReuseOperandBuffer(int operand) {
    return operand == 0;
  }

  @Override
  public String describe() {
    return "reference: dynamic-update-slice, in place if nothing else needs the operand";
  }
}
