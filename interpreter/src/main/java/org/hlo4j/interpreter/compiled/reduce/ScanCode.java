package org.hlo4j.interpreter.compiled.reduce;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.expr.BodyCode;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/**
 * Writes the loops that fold and keep what they have on the way. Arrays: what is folded, the
 * accumulators, where each turn's result goes.
 */
final class ScanCode {
  private final Lanes lanes;
  private final ReduceLoopWriter writer;
  private final BodyCode step;
  private final ElementType type;
  private final ElementType wide;
  private int input;
  private int accumulators;
  private int output;
  private int from;
  private int at;
  private int to;

  private ScanCode(Lanes lanes, Reducer body) {
    this.lanes = lanes;
    this.writer = new ReduceLoopWriter(lanes);
    this.step = body.code();
    this.type = body.type();
    this.wide = step.accumulatorType(0);
  }

  /** Folds along the turns, forwards or backwards from the positions; scalar only. */
  static void along(Lanes lanes, Reducer body, boolean isReverse) {
    ScanCode code = new ScanCode(lanes, body);
    code.write(() -> code.along(isReverse));
  }

  /** Folds a row into a row of accumulators, and copies these. */
  static void across(Lanes lanes, Reducer body) {
    ScanCode code = new ScanCode(lanes, body);
    code.write(code::across);
  }

  private void write(Runnable iterations) {
    lanes.body(() -> {
      input = writer.array(0, type);
      accumulators = writer.array(1, wide);
      output = writer.array(2, type);
      from = writer.position(0);
      at = writer.position(1);
      to = writer.position(2);
      iterations.run();
      lanes.code().return_();
    });
  }

  private void along(boolean isReverse) {
    Value accumulator = lanes.variable(lanes.load(wide, accumulators, at));
    writer.start();
    writer.steps(
        1,
        () -> {
          int mark = lanes.mark();
          lanes.assign(accumulator, next(accumulator, writer.index(from, isReverse)));
          keep(accumulator, writer.index(to, isReverse));
          lanes.release(mark);
        });
    lanes.store(wide, accumulators, at, accumulator);
  }

  private void across() {
    writer.start();
    writer.steps(
        lanes.width(),
        () -> {
          int mark = lanes.mark();
          int place = writer.index(at, 0);
          Value next = next(lanes.load(wide, accumulators, place), writer.index(from, 0));
          lanes.store(wide, accumulators, place, next);
          keep(next, writer.index(to, 0));
          lanes.release(mark);
        });
  }

  /** What there is with the element at an index. */
  private Value next(Value accumulator, int index) {
    Value element = lanes.load(type, input, index);
    return step.write(lanes, List.of(accumulator, element)).get(0);
  }

  private void keep(Value accumulator, int index) {
    lanes.store(type, output, index, step.rounded(lanes, 0, accumulator));
  }
}
