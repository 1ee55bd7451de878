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
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.engine.InstructionEvaluator;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.Program;

/**
 * Replaces what is made of constants by its value, as the reference computes it: scalars, and what
 * is no larger than a constant it is made of. What the reference refuses stays.
 */
final class ConstantFolding extends RewritingPass {
  private static final int MAX_ELEMENTS = 64 * 1024;
  private static final int MAX_REDUCED = 4 * 1024;

  /** How many elements may be reduced in one go through a module. */
  private static final int MAX_IN_ALL = 1024 * 1024;

  private final InstructionEvaluator evaluator;

  ConstantFolding(InstructionEvaluator evaluator) {
    this.evaluator = evaluator;
  }

  @Override
  Work begin(HloModule module, Session session) {
    AtomicLong left = new AtomicLong(MAX_IN_ALL);
    return (computation, rewriter) -> {
      for (HloInstruction instruction : computation.instructions()) {
        HloInstruction updated = rewriter.updated(instruction);
        rewriter.replace(instruction, left.get() > 0 ? folded(updated, rewriter) : updated);
        if (rewriter.current(instruction) != updated) {
          left.addAndGet(-((Shape.Array) updated.shape()).elementCount());
        }
      }
      return rewriter.finish(computation);
    };
  }

  private HloInstruction folded(HloInstruction instruction, Rewriter rewriter) {
    if (!isFoldable(instruction)) {
      return instruction;
    }
    Optional<Literal> value = value(instruction);
    if (value.isEmpty()) {
      return instruction;
    }
    rewriter.session().count("constant folded");
    return rewriter.instead(instruction, new Constant(value.get()));
  }

  /** Whether an instruction is small and made of constants only. */
  static boolean isFoldable(HloInstruction instruction) {
    boolean suits =
        switch (OpFamily.of(instruction.op())) {
          case ELEMENTWISE -> true;
          case MOVEMENT -> !(instruction.op() instanceof Iota);
          case OTHER -> instruction.op() instanceof Reduce && isShort(instruction);
          case EFFECT, CONTROL, PLUMBING -> false;
        };
    return suits && instruction.shape() instanceof Shape.Array array && isSmall(instruction, array);
  }

  /** A reduction calls a computation for each element, which may do whatever it likes. */
  private static boolean isShort(HloInstruction reduce) {
    return reduce.operands().get(0).shape() instanceof Shape.Array input
        && input.elementCount() <= MAX_REDUCED
        && reduce.called().get(0).instructions().stream()
            .map(instruction -> OpFamily.of(instruction.op()))
            .allMatch(family -> family == OpFamily.PLUMBING || family == OpFamily.ELEMENTWISE);
  }

  /** All operands are constant, and one that is written out has as many elements as the result. */
  private static boolean isSmall(HloInstruction instruction, Shape.Array result) {
    if (Effects.isDynamic(instruction)) {
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

  /** What an instruction computes from these operands; empty if the reference refuses it. */
  Optional<Literal> value(HloInstruction instruction, List<Literal> operands) {
    ImmutableList.Builder<HloInstruction> parameters = ImmutableList.builder();
    for (int i = 0; i < operands.size(); i++) {
      Shape shape = operands.get(i).shape();
      parameters.add(
          HloInstruction.create(
              "p" + i,
              new Parameter(i, shape),
              ImmutableList.of(),
              ImmutableList.of(),
              shape,
              Metadata.NONE));
    }
    return value(instruction, parameters.build(), operands);
  }

  /** Of a broadcast of a scalar the array, as long as it is not large. */
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
    HloInstruction root =
        HloInstruction.create(
            "result",
            instruction.op(),
            parameters,
            instruction.called(),
            instruction.shape(),
            Metadata.NONE);
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
