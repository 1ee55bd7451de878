package org.hlo4j.interpreter.engine;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.GetTupleElement;

/**
 * Checks of actual shapes against declared shapes whose dynamic dimensions have bounds in place of
 * sizes.
 */
public final class DynamicShapes {
  private DynamicShapes() {}

  /** Returns whether a value of the actual shape fits the declared one. */
  public static boolean within(Shape declared, Shape actual) {
    return switch (declared) {
      case Shape.Array array ->
          actual instanceof Shape.Array sized
              && array.elementType() == sized.elementType()
              && array.rank() == sized.rank()
              && withinBounds(array, sized.sizes());
      case Shape.Tuple tuple ->
          actual instanceof Shape.Tuple other && allWithin(tuple.elements(), other.elements());
      case Shape.Buffer buffer -> within(buffer.array(), actual);
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

  /**
   * Returns whether an instruction, one of its operands, or what a computation that it calls takes
   * or gives has a dynamic dimension. The operand of a get-tuple-element does not count.
   */
  public static boolean hasDynamicShape(HloInstruction instruction) {
    return instruction.shape().isDynamic()
        || (!(instruction.op() instanceof GetTupleElement)
            && instruction.operands().stream().anyMatch(operand -> operand.shape().isDynamic()))
        || instruction.called().stream().anyMatch(DynamicShapes::isDynamic);
  }

  private static boolean isDynamic(HloComputation called) {
    return called.root().shape().isDynamic()
        || called.parameters().stream().anyMatch(parameter -> parameter.shape().isDynamic());
  }

  /** Throws if the value of an instruction does not fit its declared shape. */
  public static void requireWithin(HloInstruction instruction, Literal value) {
    if (!within(instruction.shape(), value.shape())) {
      throw new HloException(
          "",
          String.format(
              "%s: result got %s, want one within %s",
              instruction.op().opcode(), value.shape(), instruction.shape().withoutLayout()));
    }
  }
}
