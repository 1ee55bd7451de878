package org.hlo4j.interpreter.compiled.passes;

import java.util.HashMap;
import java.util.Map;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.GetTupleElement;

/** Which instructions do something beside computing their value, by themselves or by a call. */
final class Effects {
  private final Map<HloComputation, Boolean> known = new HashMap<>();

  Effects(HloModule module) {
    module.computations().forEach(this::areIn); // callees first, so that none waits for another
  }

  /** Whether it has to be run, as often and in the order in which it is written. */
  boolean isEffect(HloInstruction instruction) {
    return OpFamily.of(instruction.op()) == OpFamily.EFFECT
        || (!instruction.called().isEmpty() && instruction.called().stream().anyMatch(this::areIn));
  }

  /** Whether a computation has an effect; one that a pass has made may be asked for, too. */
  boolean areIn(HloComputation computation) {
    Boolean answer = known.get(computation);
    if (answer == null) {
      answer = computation.instructions().stream().anyMatch(this::isEffect);
      known.put(computation, answer);
    }
    return answer;
  }

  /** Whether sizes are known only at run time: such an instruction may refuse those it gets. */
  static boolean isDynamic(HloInstruction instruction) {
    if (isDynamic(instruction.shape())) {
      return true;
    }
    if (instruction.op() instanceof GetTupleElement) {
      return false; // what else is in the tuple does not matter, and there may be much
    }
    for (HloInstruction operand : instruction.operands()) {
      if (isDynamic(operand.shape())) {
        return true;
      }
    }
    return false;
  }

  private static boolean isDynamic(Shape shape) {
    return shape instanceof Shape.Array array
        ? !array.dynamicDimensions().isEmpty()
        : shape.isDynamic();
  }
}
