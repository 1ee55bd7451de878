package org.hlo4j.interpreter.compiled.folds;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.bodies.BodyCode;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/** Writes the loops that fold and keep what they have on the way. */
final class ScanCode {
  private ScanCode() {}

  /**
   * Folds along the turns, forwards or backwards from the positions; scalar only. Arrays: what is
   * folded, the accumulator, where each turn's result goes.
   */
  static void along(Lanes lanes, Body body, boolean isReverse) {
    LoopWriter writer = new LoopWriter(lanes);
    BodyCode step = body.code();
    ElementType type = body.type();
    ElementType wide = step.accumulatorType(0);
    lanes.body(() -> {
      int input = writer.array(0, type);
      int output = writer.array(2, type);
      int accumulators = writer.array(1, wide);
      int from = writer.position(0);
      int at = writer.position(1);
      int to = writer.position(2);
      Value accumulator = lanes.variable(lanes.load(wide, accumulators, at));
      writer.start();
      writer.steps(
          1,
          () -> {
            int mark = lanes.mark();
            Value element = lanes.load(type, input, writer.index(from, isReverse));
            lanes.assign(accumulator, step.write(lanes, List.of(accumulator, element)).get(0));
            lanes.store(
                type, output, writer.index(to, isReverse), step.rounded(lanes, 0, accumulator));
            lanes.release(mark);
          });
      lanes.store(wide, accumulators, at, accumulator);
      lanes.code().return_();
    });
  }

  /** Folds a row into a row of accumulators, and copies these. Arrays as above. */
  static void across(Lanes lanes, Body body) {
    LoopWriter writer = new LoopWriter(lanes);
    BodyCode step = body.code();
    ElementType type = body.type();
    ElementType wide = step.accumulatorType(0);
    lanes.body(() -> {
      int input = writer.array(0, type);
      int accumulators = writer.array(1, wide);
      int output = writer.array(2, type);
      int from = writer.position(0);
      int at = writer.position(1);
      int to = writer.position(2);
      writer.start();
      writer.steps(
          lanes.width(),
          () -> {
            int mark = lanes.mark();
            int place = writer.index(at, 0);
            Value element = lanes.load(type, input, writer.index(from, 0));
            Value accumulator = lanes.load(wide, accumulators, place);
            Value next = step.write(lanes, List.of(accumulator, element)).get(0);
            lanes.store(wide, accumulators, place, next);
            lanes.store(type, output, writer.index(to, 0), step.rounded(lanes, 0, next));
            lanes.release(mark);
          });
      lanes.code().return_();
    });
  }
}
