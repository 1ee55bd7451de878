package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.engine.DynamicShapes;
import org.hlo4j.interpreter.engine.InstructionEvaluator;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.Program;
import org.hlo4j.interpreter.engine.ScalarBodies;

/**
 * Constant folding: replaces instructions with constant operands by their value, as the reference
 * computes it. It folds scalars, and arrays that are no larger than one of the constants that they
 * are computed from. An instruction that the reference refuses stays.
 */
final class ConstantFolding extends Pass {
  private static final int MAX_ELEMENTS = 64 * 1024;
  private static final int MAX_REDUCED = 4 * 1024;

  /** The number of elements that one run over a module may fold. */
  private static final int MAX_IN_ALL = 1024 * 1024;

  private final InstructionEvaluator evaluator;

  ConstantFolding(InstructionEvaluator evaluator) {
    this.evaluator = evaluator;
  }

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    AtomicLong left = new AtomicLong(MAX_IN_ALL);
    return rewriteEach((_, instruction, rewriter) -> folded(instruction, left, rewriter));
  }

  private HloInstruction folded(HloInstruction instruction, AtomicLong left, Rewriter rewriter) {
    if (left.get() <= 0 || !isFoldable(instruction)) {
      return instruction;
    }
    Optional<Literal> value = value(instruction);
    if (value.isEmpty()) {
      return instruction;
    }
    left.addAndGet(-((Shape.Array) instruction.shape()).elementCount());
    rewriter.session().count("constant folded");
    return rewriter.newReplacement(instruction, new Constant(value.get()));
  }

  /** Returns whether an instruction is small and has only constant operands. */
  static boolean isFoldable(HloInstruction instruction) {
    boolean suits =
        switch (OpTraits.of(instruction.op()).family()) {
          case ELEMENTWISE -> true;
          case MOVEMENT -> !(instruction.op() instanceof Iota);
          case OTHER -> instruction.op() instanceof Reduce && isShort(instruction);
          case EFFECT, CONTROL, PLUMBING -> false;
        };
    return suits && instruction.shape() instanceof Shape.Array array && isSmall(instruction, array);
  }

  /**
   * Returns whether a reduction has few elements and a cheap, element-wise reducer: the reducer is
   * evaluated for each element.
   */
  private static boolean isShort(HloInstruction reduce) {
    return reduce.operands().get(0).shape() instanceof Shape.Array input
        && input.elementCount() <= MAX_REDUCED
        && ScalarBodies.isElementwise(reduce.called().get(0));
  }

  /**
   * Returns whether all operands are constant, and the result has no more elements than the largest
   * operand that is stored in full, or 1.
   */
  private static boolean isSmall(HloInstruction instruction, Shape.Array result) {
    if (DynamicShapes.hasDynamicShape(instruction)) {
      return false;
    }
    long largest = 1;
    for (HloInstruction operand : instruction.operands()) {
      boolean isKnown =
          UniformValues.constant(operand).isPresent() || UniformValues.splat(operand).isPresent();
      if (!isKnown || array(operand).elementCount() > MAX_ELEMENTS) {
        return false;
      }
      if (operand.op() instanceof Constant) {
        largest = Math.max(largest, array(operand).elementCount());
      }
    }
    return result.elementCount() <= largest;
  }

  /**
   * Returns what an instruction computes from its operands, which are constants or broadcasts of
   * some; empty if the reference refuses it.
   */
  private Optional<Literal> value(HloInstruction instruction) {
    Set<HloInstruction> all = new LinkedHashSet<>();
    for (HloInstruction operand : instruction.operands()) {
      all.addAll(operand.operands());
      all.add(operand);
    }
    all.add(instruction);
    HloComputation entry = HloComputation.create("folded", List.copyOf(all), instruction);
    try {
      return Optional.of(
          Program.of(
                  HloModule.create("folded", entry),
                  EvaluatorOptions.defaults(),
                  evaluator,
                  any -> KernelChoice.NONE)
              .run());
    } catch (HloException refusal) {
      return Optional.empty();
    }
  }
}
