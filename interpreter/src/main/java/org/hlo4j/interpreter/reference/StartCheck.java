package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.List;
import java.util.function.Consumer;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.Step;

/**
 * A check of start indices in dynamic shapes. The specification has a box fit the actual sizes: its
 * start is clamped, or a scatter leaves the box out. XLA goes by the bounds, which may reach beyond
 * the elements that exist. A start for which both agree is accepted; others are rejected.
 *
 * @param opcode the op
 * @param sizes the sizes of the array
 * @param last the last start that fits the sizes, in each dimension
 * @param lastByBounds the last start that fits the bounds
 */
record StartCheck(String opcode, Dims sizes, Dims last, Dims lastByBounds) {
  /** Throws if a start means different elements by sizes and by bounds. */
  static void check(Step step) {
    List<Literal> in = step.operands();
    switch (step.op()) {
      case DynamicSlice slice -> {
        Dims box = slice.dynamicSliceSizes();
        of(step, box, box).checkClamped(IndexVectors.dynamicSliceStart(in.subList(1, in.size())));
      }
      case DynamicUpdateSlice _ ->
          of(step, in.get(1).arrayShape().sizes(), bounds(step, 1))
              .checkClamped(IndexVectors.dynamicSliceStart(in.subList(2, in.size())));
      case Gather gather -> {
        Gather declared = (Gather) step.instruction().op();
        StartCheck starts = of(step, gather.sliceSizes(), declared.sliceSizes());
        starts.check(Gathers.starts(gather, in.get(1), starts.last.count()), starts::checkClamped);
      }
      case Scatter scatter -> {
        int updates = in.size() / 2 + 1;
        int rank = in.get(0).arrayShape().rank();
        Dims window = scatter.windowSizes(rank, in.get(updates).arrayShape().sizes());
        StartCheck starts = of(step, window, scatter.windowSizes(rank, bounds(step, updates)));
        starts.check(Scatters.starts(scatter, in.get(updates - 1), rank), starts::checkLeftOut);
      }
      default -> {}
    }
  }

  private static StartCheck of(Step step, Dims box, Dims boxByBounds) {
    Dims sizes = step.operands().get(0).arrayShape().sizes();
    return new StartCheck(
        step.op().opcode(), sizes, sizes.minus(box), bounds(step, 0).minus(boxByBounds));
  }

  private static Dims bounds(Step step, int operand) {
    return ((Shape.Array) step.instruction().operands().get(operand).shape()).sizes();
  }

  private void check(IndexVectors starts, Consumer<Dims> check) {
    for (int window = 0; window < starts.count() && !last.equals(lastByBounds); window++) {
      Limits.checkAt(window);
      check.accept(starts.at(window));
    }
  }

  private void checkClamped(Dims start) {
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

  /** Checks a window that is left out unless it fits; it does not matter beyond the sizes. */
  private void checkLeftOut(Dims start) {
    boolean isTaken = isFitting(start, last);
    boolean isTakenByBounds = isFitting(start, lastByBounds);
    require(
        isTaken == isTakenByBounds || !start.inBounds(sizes),
        "",
        "%s: start got %s, want one that fits: by sizes at run time its window is %s, by bounds %s",
        opcode,
        start,
        isTaken ? "taken" : "left out",
        isTakenByBounds ? "taken" : "left out");
  }

  private static boolean isFitting(Dims start, Dims last) {
    return start.equals(start.clamp(last.minus(last), last));
  }
}
