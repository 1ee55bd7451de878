package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.StartBounds;
import org.hlo4j.interpreter.engine.Step;

/** A check of start indices by their {@link StartBounds}. */
final class StartCheck {
  private final String opcode;
  private final StartBounds bounds;

  private StartCheck(String opcode, StartBounds bounds) {
    this.opcode = opcode;
    this.bounds = bounds;
  }

  /** What is asked of each start. */
  @FunctionalInterface
  private interface Rule {
    void check(StartCheck check, Dims start, String operand);
  }

  /** Throws if a start means different elements by sizes and by bounds. */
  static void check(Step step) {
    StartBounds.of(step.instruction(), step.op(), shapes(step))
        .ifPresent(bounds ->
            of(step, bounds)
                .checkStarts(
                    step,
                    (check, start, _) -> check.checkClamped(start),
                    (check, start, _) -> check.checkLeftOut(start)));
  }

  /** Throws at the first box of elements that is not within the array. */
  static void requireInBounds(Step step) {
    StartBounds.ofAny(step.instruction(), step.op(), shapes(step))
        .filter(bounds -> !bounds.box().contains(0))
        .ifPresent(bounds ->
            of(step, bounds)
                .checkStarts(step, StartCheck::requireSlice, StartCheck::requireWindow));
  }

  private static StartCheck of(Step step, StartBounds bounds) {
    return new StartCheck(step.op().opcode(), bounds);
  }

  private static List<Shape> shapes(Step step) {
    return step.operands().stream().map(Literal::shape).toList();
  }

  private void checkStarts(Step step, Rule clamped, Rule leftOut) {
    List<Literal> in = step.operands();
    int rank = bounds.sizes().count();
    switch (step.op()) {
      case Gather gather ->
          checkEach(IndexVectors.of(gather, in.get(1), rank), "start_indices", clamped);
      case Scatter scatter ->
          checkEach(
              IndexVectors.of(scatter, in.get(in.size() / 2), rank), "scatter_indices", leftOut);
      default ->
          clamped.check(
              this,
              IndexVectors.dynamicSliceStart(in.subList(bounds.scalars(), in.size())),
              "start_indices");
    }
  }

  private void checkEach(IndexVectors starts, String operand, Rule rule) {
    for (int window = 0; window < starts.count(); window++) {
      Limits.checkAt(window);
      rule.check(this, starts.at(window), operand + starts.place(window));
    }
  }

  private void checkClamped(Dims start) {
    Dims moved = inPlace(start);
    Dims movedByBounds = start.clamp(Dims.filled(start.count(), 0), bounds.lastByBounds());
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

  private void requireSlice(Dims start, String operand) {
    requireFitting(start, operand, "slices", inPlace(start) + " is taken");
  }

  private void requireWindow(Dims start, String operand) {
    requireFitting(start, operand, "windows", "the window is left out");
  }

  private void requireFitting(Dims start, String operand, String boxes, String unchecked) {
    require(
        isFitting(start, bounds.last()),
        "",
        "%s: %s got %s, want %s to %s, for %s of %s in %s; without the check %s",
        opcode,
        operand,
        start,
        Dims.filled(start.count(), 0),
        bounds.last(),
        boxes,
        bounds.box(),
        bounds.sizes(),
        unchecked);
  }

  /** Returns where a box that is out of bounds is moved to. */
  private Dims inPlace(Dims start) {
    return start.clamp(Dims.filled(start.count(), 0), bounds.last());
  }
}
