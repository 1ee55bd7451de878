package org.hlo4j.interpreter.engine.sizes;

import com.google.common.collect.ImmutableList;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.engine.Effects;
import org.hlo4j.interpreter.engine.InstructionEvaluator;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.Program;

/**
 * The values of instructions that depend on constants alone: what a program computes from sizes.
 */
final class KnownValues {
  private static final int MAX_INSTRUCTIONS = 1000;

  /** What loops may take; more is not about sizes. */
  private static final EvaluatorOptions OPTIONS =
      EvaluatorOptions.builder().maxSteps(1_000_000).maxBytes(1 << 24).build();

  private final InstructionEvaluator evaluator;
  private final Effects effects = new Effects();
  private final Map<HloInstruction, Literal> values = new HashMap<>();

  KnownValues(InstructionEvaluator evaluator) {
    this.evaluator = evaluator;
  }

  /**
   * Returns the value of an instruction.
   *
   * @param instruction an instruction of static sizes
   * @param written the instructions of its computation
   * @throws HloException if it depends on an argument or has an effect
   */
  Literal of(HloInstruction instruction, List<HloInstruction> written) {
    if (instruction.op() instanceof Constant constant) {
      return constant.literal();
    }
    return values.computeIfAbsent(instruction, any -> computed(instruction, written));
  }

  private Literal computed(HloInstruction instruction, List<HloInstruction> written) {
    Set<HloInstruction> needed = needed(instruction);
    ImmutableList<HloInstruction> all =
        written.stream().filter(needed::contains).collect(ImmutableList.toImmutableList());
    HloModule module = HloModule.create("sizes", HloComputation.create("sizes", all, instruction));
    try {
      return Program.of(module, OPTIONS, evaluator, any -> KernelChoice.NONE).run();
    } catch (HloException refusal) {
      Limits.checkCurrent();
      throw new HloException("", refusal.summary()); // a limit of its own is not that of the run
    }
  }

  private Set<HloInstruction> needed(HloInstruction instruction) {
    Set<HloInstruction> needed = new LinkedHashSet<>(List.of(instruction));
    Deque<HloInstruction> left = new ArrayDeque<>(needed);
    while (!left.isEmpty()) {
      HloInstruction next = left.pop();
      boolean isKnown = !(next.op() instanceof Parameter) && !effects.hasEffect(next);
      HloException.require(
          isKnown && needed.size() <= MAX_INSTRUCTIONS,
          "",
          "the size %s depends on %s",
          instruction.name(),
          next.name());
      next.operands().stream().filter(needed::add).forEach(left::push);
    }
    return needed;
  }
}
