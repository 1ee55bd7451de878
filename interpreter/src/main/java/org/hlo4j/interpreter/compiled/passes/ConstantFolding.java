package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.engine.DynamicShapes;
import org.hlo4j.interpreter.engine.InstructionEvaluator;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Family;
import org.hlo4j.interpreter.engine.Program;

/**
 * Constant folding: replaces instructions with constant operands by their value, as the reference
 * computes it. It folds scalars, and arrays that are no larger than one of the constants that they
 * are computed from. An instruction that the reference refuses stays.
 */
final class ConstantFolding extends RewritingPass {
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
        && reduce.called().get(0).instructions().stream()
            .map(instruction -> OpTraits.of(instruction.op()).family())
            .allMatch(family -> family == Family.PLUMBING || family == Family.ELEMENTWISE);
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
      boolean isWritten = operand.op() instanceof Constant;
      if (!isWritten && UniformValues.splat(operand).isEmpty()) {
        return false;
      }
      if (operand.shape() instanceof Shape.Array array && isWritten) {
        largest = Math.max(largest, array.elementCount());
      }
    }
    return largest <= MAX_ELEMENTS && result.elementCount() <= largest;
  }

  private Optional<Literal> value(HloInstruction instruction) {
    List<Literal> arguments = new ArrayList<>();
    for (HloInstruction operand : instruction.operands()) {
      Optional<Literal> literal = literal(operand);
      if (literal.isEmpty()) {
        return Optional.empty();
      }
      arguments.add(literal.get());
    }
    return value(instruction, arguments);
  }

  /**
   * Returns what an instruction computes from these operands; empty if the reference refuses it.
   */
  Optional<Literal> value(HloInstruction instruction, List<Literal> operands) {
    ImmutableList.Builder<HloInstruction> parameters = ImmutableList.builder();
    for (int i = 0; i < operands.size(); i++) {
      Shape shape = operands.get(i).shape();
      parameters.add(HloInstruction.of("p" + i, new Parameter(i, shape)));
    }
    return value(instruction, parameters.build(), operands);
  }

  /**
   * Returns the value of a constant operand; for a broadcast of a scalar the whole array, if not
   * too large.
   */
  private static Optional<Literal> literal(HloInstruction operand) {
    if (!(operand.op() instanceof Broadcast)) {
      return UniformValues.constant(operand);
    }
    Shape.Array shape = (Shape.Array) operand.shape();
    return shape.elementCount() > MAX_ELEMENTS
        ? Optional.empty()
        : UniformValues.splat(operand).map(scalar -> scalar.repeated(shape.sizes()));
  }

  private Optional<Literal> value(
      HloInstruction instruction,
      ImmutableList<HloInstruction> parameters,
      List<Literal> arguments) {
    HloInstruction root = instruction.renamed("result").withOperands(parameters);
    HloComputation entry =
        HloComputation.create(
            "folded",
            ImmutableList.<HloInstruction>builder().addAll(parameters).add(root).build(),
            root);
    try {
      return Optional.of(
          Program.of(
                  HloModule.create("folded", entry),
                  EvaluatorOptions.defaults(),
                  evaluator,
                  any -> KernelChoice.NONE)
              .run(arguments.toArray(new Literal[0])));
    } catch (HloException refusal) {
      return Optional.empty();
    }
  }
}
