package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.interpreter.engine.Step;

/**
 * A check of clamped start indices in dynamic shapes. The specification clamps the start of a box
 * so that the box fits the actual sizes, while XLA clamps it to the bounds, which may reach beyond
 * the elements that exist. A start for which both agree is accepted; others are rejected.
 *
 * @param opcode the op
 * @param last the last start that fits the sizes, in each dimension
 * @param lastByBounds the last start that fits the bounds
 */
record ClampedStartCheck(String opcode, Dims last, Dims lastByBounds) {
  /** Throws if a start is clamped to different positions by sizes and by bounds. */
  static void check(Step step) {
    List<Literal> in = step.operands();
    switch (step.op()) {
      case DynamicSlice slice -> {
        Dims box = slice.dynamicSliceSizes();
        of(step, box, box).check(IndexVectors.dynamicSliceStart(in.subList(1, in.size())));
      }
      case DynamicUpdateSlice _ ->
          of(step, in.get(1).arrayShape().sizes(), bounds(step, 1))
              .check(IndexVectors.dynamicSliceStart(in.subList(2, in.size())));
      case Gather gather -> {
        Gather declared = (Gather) step.instruction().op();
        ClampedStartCheck starts = of(step, gather.sliceSizes(), declared.sliceSizes());
        IndexVectors indices = Gathers.starts(gather, in.get(1), starts.last.count());
        for (int window = 0; window < indices.count(); window++) {
          starts.check(indices.at(window));
        }
      }
      default -> {}
    }
  }

  private static ClampedStartCheck of(Step step, Dims box, Dims boxByBounds) {
    return new ClampedStartCheck(
        step.op().opcode(),
        step.operands().get(0).arrayShape().sizes().minus(box),
        bounds(step, 0).minus(boxByBounds));
  }

  private static Dims bounds(Step step, int operand) {
    return ((Shape.Array) step.instruction().operands().get(operand).shape()).sizes();
  }

  private void check(Dims start) {
    Dims zeros = last.minus(last);
    Dims moved = start.clamp(zeros, last);
    Dims movedByBounds = start.clamp(zeros, lastByBounds);
    require(
        moved.equals(movedByBounds),
        "",
        "%s: start got %s, want one that fits: by sizes at run time it is moved to %s, by bounds"
            + " to %s",
        opcode,
        start,
        moved,
        movedByBounds);
  }
}
