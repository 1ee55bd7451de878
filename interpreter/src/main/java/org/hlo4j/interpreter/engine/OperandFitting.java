package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableMap;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.interpreter.engine.FittedOperand.Fill;

/** What is cut off the operands of an instruction, or filled up, so that they fit each other. */
final class OperandFitting {
  private final HloInstruction instruction;
  private final List<Shape.Array> actual;
  private final Dims[] present;
  private final Dims[] filled;

  private OperandFitting(HloInstruction instruction, List<Shape.Array> actual) {
    this.instruction = instruction;
    this.actual = actual;
    this.present = actual.stream().map(Shape.Array::sizes).toArray(Dims[]::new);
    this.filled = present.clone();
  }

  /**
   * Returns the operands that do not stay as they are, by their numbers.
   *
   * @param instruction the instruction, as declared
   * @param actual the shapes that its operands have at run time
   */
  static ImmutableMap<Integer, FittedOperand> of(
      HloInstruction instruction, List<Shape.Array> actual) {
    return new OperandFitting(instruction, actual).fitted();
  }

  private ImmutableMap<Integer, FittedOperand> fitted() {
    List<Shape.Array> declared =
        instruction.operands().stream().map(operand -> (Shape.Array) operand.shape()).toList();
    for (SizeClass each : SizeClasses.of(instruction.op(), declared)) {
      each.size(instruction, actual).ifPresent(size -> fit(each, size));
    }
    if (instruction.op() instanceof SelectAndScatter op) {
      fitWindows(op, declared);
    }
    ImmutableMap.Builder<Integer, FittedOperand> fitted = ImmutableMap.builder();
    for (int i = 0; i < present.length; i++) {
      Dims sizes = actual.get(i).sizes();
      if (!present[i].equals(sizes) || !filled[i].equals(sizes)) {
        fitted.put(i, new FittedOperand(present[i], filled[i], fill(i)));
      }
    }
    return fitted.buildOrThrow();
  }

  private void fit(SizeClass each, long size) {
    for (int i = 0; i < present.length; i++) {
      filled[i] = each.with(filled[i], i, size);
      present[i] =
          each.rule() == SizeClass.Rule.FILLED ? present[i] : each.with(present[i], i, size);
    }
  }

  /**
   * Fills the operand up to its bounds where the source has places for all of them, and the source
   * where the operand has more places. No window selects an element that was filled in before
   * others.
   */
  private void fitWindows(SelectAndScatter op, List<Shape.Array> declared) {
    Shape.Array operand = declared.get(0);
    Shape.Array source = declared.get(1);
    for (int i = 0; i < operand.rank(); i++) {
      if (operand.isDynamic(i)
          && !source.isDynamic(i)
          && selectsLarger(instruction.called().get(0))) {
        filled[0] = filled[0].with(i, operand.size(i));
      }
      if (source.isDynamic(i) && !operand.isDynamic(i)) {
        filled[1] = filled[1].with(i, op.window().outputSize(i, operand.size(i)));
      }
    }
  }

  private static boolean selectsLarger(HloComputation select) {
    List<HloInstruction> compared = select.root().operands();
    return select.root().op() instanceof Compare compare
        && (compare.direction() == Compare.Direction.GE
            || compare.direction() == Compare.Direction.GT)
        && compared.get(0).op() instanceof Parameter first
        && compared.get(1).op() instanceof Parameter second
        && first.number() < second.number();
  }

  /** Returns what changes no result: as XLA, initial values; no element is below the lowest. */
  private Fill fill(int operand) {
    Op op = instruction.op();
    boolean isReduction = op instanceof Reduce || op instanceof ReduceWindow;
    if (isReduction) {
      return new Fill.Operand(present.length / 2 + operand);
    }
    if (op instanceof SelectAndScatter && operand == 1) {
      return new Fill.Operand(2);
    }
    ElementType type = actual.get(operand).elementType();
    return new Fill.Value(
        op instanceof SelectAndScatter ? lowest(type) : Literal.zeros(Shape.of(type)));
  }

  private static Literal lowest(ElementType type) {
    if (type.isFloating()) {
      return Literal.of(type, type.hasInfinity() ? Double.NEGATIVE_INFINITY : -type.maxFinite());
    }
    return type.isIntegral() ? Literal.of(type, type.minLong()) : Literal.zeros(Shape.of(type));
  }
}
