package org.hlo4j.interpreter.reference;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.DynamicReshape;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Operands;
import org.hlo4j.hlo.op.PassingOn;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.SetDimensionSize;

/**
 * Instructions whose shapes have bounds in place of sizes. Values have sizes: those of the operands
 * give those of the result, by the same rule that gave the declared shape. What they cannot give is
 * refused, and so is a result that is not within the declared shape.
 */
final class ActualSizes {
  private ActualSizes() {}

  /** Whether a value of this shape may stand where that one is declared. */
  static boolean within(Shape declared, Shape actual) {
    return switch (declared) {
      case Shape.Array array ->
          actual instanceof Shape.Array sized
              && array.elementType() == sized.elementType()
              && array.rank() == sized.rank()
              && withinBounds(array, sized.sizes());
      case Shape.Tuple tuple ->
          actual instanceof Shape.Tuple other && allWithin(tuple.elements(), other.elements());
      case Shape.Token token -> actual.equals(token);
      case Shape.Opaque opaque -> actual.equals(opaque);
    };
  }

  private static boolean withinBounds(Shape.Array declared, Dims sizes) {
    for (int i = 0; i < sizes.count(); i++) {
      long bound = declared.size(i);
      if (declared.isDynamic(i) ? sizes.get(i) > bound : sizes.get(i) != bound) {
        return false;
      }
    }
    return true;
  }

  private static boolean allWithin(List<Shape> declared, List<Shape> actual) {
    boolean within = declared.size() == actual.size();
    for (int i = 0; within && i < declared.size(); i++) {
      within = within(declared.get(i), actual.get(i));
    }
    return within;
  }

  /** Whether an instruction has to do with bounds at all. */
  static boolean concern(HloInstruction instruction) {
    return instruction.shape().isDynamic()
        || (!(instruction.op() instanceof GetTupleElement)
            && instruction.operands().stream().anyMatch(operand -> operand.shape().isDynamic()));
  }

  /** The instruction with the sizes that it has on these operands. */
  static Step of(HloInstruction instruction, List<Literal> operands) {
    Op op = instruction.op();
    requireBounds(instruction.shape());
    if (takesShapeOfValue(op)) {
      return Step.asDeclared(instruction, operands);
    }
    List<Literal> agreeing = AgreeingSizes.cut(instruction, operands);
    Operands declared = HloInstruction.inputs(instruction.operands(), instruction.called());
    ImmutableList<Shape> shapes = agreeing.stream().map(Literal::shape).collect(toImmutableList());
    Operands actual = new Operands(shapes, declared.called());
    Op sized = op.atSizes(declared, actual);
    Shape shape =
        switch (op) {
          case SetDimensionSize set -> DimensionSizes.shape(set, agreeing);
          case DynamicReshape reshape -> DimensionSizes.shape(reshape, agreeing);
          case Op any -> sized.infer(actual).withoutLayout();
        };
    require(
        !shape.isDynamic() && within(instruction.shape(), shape),
        "",
        "%s: sizes of the result got %s, want them within %s",
        op.opcode(),
        shape,
        instruction.shape().withoutLayout());
    Step step = new Step(instruction, sized, shape, agreeing);
    StartsWithinSizes.check(step);
    return step;
  }

  /** Whether nothing but the value itself says what sizes it has. */
  private static boolean takesShapeOfValue(Op op) {
    return (op instanceof PassingOn && !(op instanceof Reshape))
        || op instanceof CustomCall
        || op instanceof Recv;
  }

  /** Refuses the value of an instruction that is not what was declared. */
  static void requireWithin(HloInstruction instruction, Literal value) {
    if (!within(instruction.shape(), value.shape())) {
      throw new HloException(
          "",
          String.format(
              "%s: result got %s, want one within %s",
              instruction.op().opcode(), value.shape(), instruction.shape().withoutLayout()));
    }
  }

  private static void requireBounds(Shape shape) {
    if (shape instanceof Shape.Tuple tuple) {
      tuple.elements().forEach(ActualSizes::requireBounds);
    } else if (shape instanceof Shape.Array array) {
      require(!array.hasUnbounded(), "", "run: got the shape %s, want bounds on all sizes", array);
    }
  }
}
