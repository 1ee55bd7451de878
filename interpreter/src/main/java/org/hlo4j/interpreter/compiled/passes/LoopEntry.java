package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Family;

/** An analysis of whether a loop certainly has a first iteration. */
final class LoopEntry {
  private static final int MAX_INSTRUCTIONS = 100;

  private final ConstantFolding folding;
  private final Map<HloInstruction, Literal> known = new HashMap<>();

  private LoopEntry(ConstantFolding folding) {
    this.folding = folding;
  }

  /**
   * Returns whether a loop has an iteration, whatever the arguments: its condition holds, and
   * depends only on elements of the initial state that are constant scalars.
   */
  static boolean isCertain(
      HloComputation condition, HloInstruction initial, ConstantFolding folding) {
    if (condition.instructions().size() > MAX_INSTRUCTIONS) {
      return false;
    }
    LoopEntry entry = new LoopEntry(folding);
    for (HloInstruction instruction : condition.instructions()) {
      entry.value(instruction, initial).ifPresent(value -> entry.known.put(instruction, value));
    }
    Literal holds = entry.known.get(condition.root());
    return holds != null && holds.booleanAt(0);
  }

  private Optional<Literal> value(HloInstruction instruction, HloInstruction initial) {
    return switch (instruction.op()) {
      case Parameter _ -> UniformValues.scalar(initial);
      case GetTupleElement element
          when initial.op() instanceof Tuple
              && instruction.operands().get(0).op() instanceof Parameter ->
          UniformValues.scalar(initial.operands().get(element.index()));
      case Object _ -> computed(instruction);
    };
  }

  private Optional<Literal> computed(HloInstruction instruction) {
    boolean isScalarOp =
        OpTraits.of(instruction.op()).family() == Family.ELEMENTWISE
            && instruction.shape() instanceof Shape.Array array
            && array.isScalar()
            && known.keySet().containsAll(instruction.operands());
    if (!isScalarOp) {
      return UniformValues.scalar(instruction);
    }
    ImmutableList<Literal> operands =
        instruction.operands().stream().map(known::get).collect(toImmutableList());
    return folding.value(instruction, operands);
  }
}
