package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.External;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.HigherOrder;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Pointwise;
import org.hlo4j.hlo.op.Routine;
import org.hlo4j.hlo.op.Sizing;

/**
 * An instruction about to be evaluated, with its operands and the sizes they have at run time.
 *
 * @param instruction the instruction, as declared
 * @param op its op, adapted to the sizes of the operands
 * @param shape the shape of what the op gives, without layout; static, except for an op that
 *     forwards values
 * @param operands the values of its operands
 * @param results how the results of the op become those of the instruction
 */
public record Step(
    HloInstruction instruction, Op op, Shape shape, List<Literal> operands, FittedResults results) {
  /** Returns a step whose op and shape are as declared. */
  public static Step asDeclared(HloInstruction instruction, List<Literal> operands) {
    return new Step(
        instruction,
        instruction.op(),
        instruction.shape().withoutLayout(),
        operands,
        FittedResults.NONE);
  }

  /**
   * Returns whether nothing has to be computed, since no array of the result has an element. The
   * other sizes of such an array may be beyond int, for which no loop over them is made.
   */
  boolean hasNoElements() {
    return results.results().isEmpty() && hasNoElements(shape) && computesOnly(instruction);
  }

  /** Returns whether nothing has to be computed for an instruction of static sizes. */
  public static boolean hasNoElements(HloInstruction instruction) {
    return hasNoElements(instruction.shape()) && computesOnly(instruction);
  }

  private static boolean hasNoElements(Shape shape) {
    return switch (shape) {
      case Shape.Tuple tuple -> tuple.elements().stream().allMatch(Step::hasNoElements);
      case Shape.Array array -> !array.hasUnbounded() && array.elementCount() == 0;
      case Shape.Buffer _, Shape.Opaque _, Shape.Token _ -> false;
    };
  }

  /** Returns whether an instruction does nothing but compute the elements of its result. */
  private static boolean computesOnly(HloInstruction instruction) {
    return switch (instruction.op()) {
      case HigherOrder _ -> !new Effects().callsEffect(instruction);
      case Contraction _, Movement _, Pointwise _, Routine _ -> true;
      case Collective _, CollectiveStart _, External _, ForwardingOp _, Sizing _ -> false;
    };
  }

  /** Returns the result of a step that {@link #hasNoElements}. */
  Literal empty() {
    return empty(shape);
  }

  private static Literal empty(Shape shape) {
    return shape instanceof Shape.Tuple tuple
        ? Literal.tuple(
            tuple.elements().stream().map(Step::empty).collect(ImmutableList.toImmutableList()))
        : Literal.zeros((Shape.Array) shape);
  }
}
