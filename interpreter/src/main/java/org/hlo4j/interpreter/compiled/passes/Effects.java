package org.hlo4j.interpreter.compiled.passes;

import java.util.HashMap;
import java.util.Map;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Family;

/** The instructions with an effect beside computing their value, by themselves or by a call. */
final class Effects {
  private final Map<HloComputation, Boolean> known = new HashMap<>();

  Effects(HloModule module) {
    module
        .computations()
        .forEach(this::containsEffect); // callees first, so that no recursion is deep
  }

  /**
   * Returns whether an instruction has to be run exactly as often, and in the order, as it is
   * written.
   */
  boolean hasEffect(HloInstruction instruction) {
    return OpTraits.of(instruction.op()).family() == Family.EFFECT
        || (!instruction.called().isEmpty()
            && instruction.called().stream().anyMatch(this::containsEffect));
  }

  /** Returns whether an instruction has to stay in its computation even if no other needs it. */
  boolean isRequired(HloInstruction instruction) {
    return instruction.op() instanceof Parameter
        || hasEffect(instruction)
        || isDynamic(instruction);
  }

  /** Returns whether a computation has an effect. It may be one that a pass has made. */
  boolean containsEffect(HloComputation computation) {
    Boolean answer = known.get(computation);
    if (answer == null) {
      answer = computation.instructions().stream().anyMatch(this::hasEffect);
      known.put(computation, answer);
    }
    return answer;
  }

  /**
   * Returns whether sizes are known only at run time. Such an instruction may refuse the sizes that
   * it gets.
   */
  static boolean isDynamic(HloInstruction instruction) {
    if (isDynamic(instruction.shape())) {
      return true;
    }
    if (instruction.op() instanceof GetTupleElement) {
      return false; // other elements of the tuple, possibly many, do not matter
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
