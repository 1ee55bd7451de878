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
 * Boxes that are moved to where they just fit. Where an array has bounds XLA moves a box to within
 * the bounds, maybe beyond what is there, while the words of the specification are of the sizes. A
 * start that both move to the same place is right by either; others are refused.
 *
 * @param opcode the op
 * @param last the last start by sizes, in each dimension
 * @param lastByBounds the last start by bounds
 */
record StartsWithinSizes(String opcode, Dims last, Dims lastByBounds) {
  /** Refuses starts that sizes and bounds move to different places. */
  static void check(Step step) {
    List<Literal> in = step.operands();
    if (step.op() instanceof DynamicSlice slice) {
      Dims box = slice.dynamicSliceSizes();
      of(step, box, box).check(Indices.all(in.subList(1, in.size())));
    } else if (step.op() instanceof DynamicUpdateSlice) {
      of(step, in.get(1).arrayShape().sizes(), bounds(step, 1))
          .check(Indices.all(in.subList(2, in.size())));
    } else if (step.op() instanceof Gather gather) {
      Gather declared = (Gather) step.instruction().op();
      StartsWithinSizes starts = of(step, gather.sliceSizes(), declared.sliceSizes());
      Indices indices = Gathers.starts(gather, in.get(1), starts.last.count());
      for (int window = 0; window < indices.count(); window++) {
        starts.check(indices.at(window));
      }
    }
  }

  private static StartsWithinSizes of(Step step, Dims box, Dims boxByBounds) {
    return new StartsWithinSizes(
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
