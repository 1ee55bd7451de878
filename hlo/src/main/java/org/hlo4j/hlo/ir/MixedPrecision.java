package org.hlo4j.hlo.ir;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableSet;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.AllReduce;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Operands;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceScatter;
import org.hlo4j.hlo.op.Scatter;

/**
 * The rule that all floating-point operands of an op have one type. It is checked only for ops
 * whose shape rule allows several types, except those that XLA's verifier skips.
 */
final class MixedPrecision {
  private MixedPrecision() {}

  /**
   * Returns the inferred shape where floats of several types may be combined: that of the operands
   * as they are, or else as if all floats were f32.
   */
  static Shape infer(HloInstruction instruction) {
    Operands in = HloInstruction.inputs(instruction.operands(), instruction.called());
    try {
      return instruction.op().infer(in);
    } catch (HloException refusal) {
      try {
        return instruction.op().infer(alike(in));
      } catch (HloException stillRefused) {
        throw refusal;
      }
    }
  }

  /** Returns the shape with all floats of one type. */
  static Shape alike(Shape shape) {
    return shape.mapArrays(
        array -> array.elementType().isFloating() ? array.withElementType(ElementType.F32) : array);
  }

  private static Operands alike(Operands in) {
    return new Operands(
        in.shapes().stream().map(MixedPrecision::alike).collect(toImmutableList()),
        in.called().stream()
            .map(callee ->
                new ProgramShape(
                    callee.parameters().stream()
                        .map(MixedPrecision::alike)
                        .collect(toImmutableList()),
                    alike(callee.result())))
            .collect(toImmutableList()));
  }

  static void check(HloInstruction instruction) {
    checkReducer(instruction);
    boolean combines =
        switch (instruction.op()) {
          case Map _, Reduce _, Scatter _ -> true;
          default -> false;
        };
    if (!combines) {
      return;
    }
    ImmutableSet<ElementType> types =
        instruction.operands().stream()
            .map(HloInstruction::shape)
            .filter(Shape.Array.class::isInstance)
            .map(shape -> ((Shape.Array) shape).elementType())
            .filter(ElementType::isFloating)
            .collect(toImmutableSet());
    require(
        types.size() <= 1,
        "",
        "%s: operands got %s, want floats of one type; Verifier.lenient() permits several",
        instruction.op().opcode(),
        types);
  }

  /** A collective reduces in the type of its operands. */
  private static void checkReducer(HloInstruction instruction) {
    Op op =
        instruction.op() instanceof CollectiveStart start ? start.collective() : instruction.op();
    if (!(op instanceof AllReduce || op instanceof ReduceScatter)) {
      return;
    }
    Shape.Array reduced = (Shape.Array) instruction.called().get(0).root().shape();
    for (HloInstruction operand : instruction.operands()) {
      require(
          ((Shape.Array) operand.shape()).elementType() == reduced.elementType(),
          "",
          "%s: to_apply got %s for %s, want the type of the operand; Verifier.lenient() permits a"
              + " wider one",
          instruction.op().opcode(),
          reduced.elementType(),
          operand.shape().withoutLayout());
    }
  }
}
