package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.List;
import java.util.function.BiConsumer;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.StartBounds;
import org.hlo4j.interpreter.engine.Step;

/** A check of start indices in dynamic shapes, by their {@link StartBounds}. */
final class StartCheck {
  private final String opcode;
  private final StartBounds bounds;

  private StartCheck(String opcode, StartBounds bounds) {
    this.opcode = opcode;
    this.bounds = bounds;
  }

  /** Throws if a start means different elements by sizes and by bounds. */
  static void check(Step step) {
    StartBounds.of(
            step.instruction(), step.op(), step.operands().stream().map(Literal::shape).toList())
        .ifPresent(bounds -> new StartCheck(step.op().opcode(), bounds).checkStarts(step));
  }

  private void checkStarts(Step step) {
    List<Literal> in = step.operands();
    int rank = bounds.sizes().count();
    switch (step.op()) {
      case Gather gather ->
          checkEach(Gathers.starts(gather, in.get(1), rank), StartCheck::checkClamped);
      case Scatter scatter ->
          checkEach(
              Scatters.starts(scatter, in.get(in.size() / 2), rank), StartCheck::checkLeftOut);
      default ->
          checkClamped(IndexVectors.dynamicSliceStart(in.subList(bounds.scalars(), in.size())));
    }
  }

  private void checkEach(IndexVectors starts, BiConsumer<StartCheck, Dims> check) {
    for (int window = 0; window < starts.count(); window++) {
      Limits.checkAt(window);
      check.accept(this, starts.at(window));
    }
  }

  private void checkClamped(Dims start) {
    Dims zeros = Dims.filled(start.count(), 0);
    Dims moved = start.clamp(zeros, bounds.last());
    Dims movedByBounds = start.clamp(zeros, bounds.lastByBounds());
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
    boolean isTaken = isFitting(start, bounds.last());
    boolean isTakenByBounds = isFitting(start, bounds.lastByBounds());
    require(
        isTaken == isTakenByBounds || !start.inBounds(bounds.sizes()),
        "",
        "%s: start got %s, want one that fits: by sizes at run time its window is %s, by bounds %s",
        opcode,
        start,
        isTaken ? "taken" : "left out",
        isTakenByBounds ? "taken" : "left out");
  }

  private static boolean isFitting(Dims start, Dims last) {
    return start.equals(start.clamp(Dims.filled(start.count(), 0), last));
  }
}
