package org.hlo4j.interpreter.compiled.reduce;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.BodyCode;
import org.hlo4j.interpreter.compiled.expr.Reducer;

/**
 * The code generator of the loops of scans. A scan is a reduction that stores the accumulator after
 * each element. Arrays: the elements, the accumulators, the results.
 */
final class ScanCode {
  private final CodeEmitter emitter;
  private final ReduceLoopWriter writer;
  private final BodyCode step;
  private final ElementType type;
  private final ElementType wide;
  private int input;
  private int accumulators;
  private int output;
  private int inputPosition;
  private int accumulatorPosition;
  private int outputPosition;

  private ScanCode(CodeEmitter emitter, Reducer body) {
    this.emitter = emitter;
    this.writer = new ReduceLoopWriter(emitter);
    this.step = body.code();
    this.type = body.type();
    this.wide = step.accumulatorType(0);
  }

  /**
   * Writes a loop that scans along the iterations, forwards or backwards from the positions; scalar
   * only.
   */
  static void along(CodeEmitter emitter, Reducer body, boolean isReverse) {
    ScanCode code = new ScanCode(emitter, body);
    code.write(() -> code.along(isReverse));
  }

  /**
   * Writes a loop that reduces a row into a row of accumulators, and copies these to the results.
   */
  static void across(CodeEmitter emitter, Reducer body) {
    ScanCode code = new ScanCode(emitter, body);
    code.write(code::across);
  }

  private void write(Runnable iterations) {
    emitter.body(() -> {
      input = writer.array(0, type);
      accumulators = writer.array(1, wide);
      output = writer.array(2, type);
      inputPosition = writer.position(0);
      accumulatorPosition = writer.position(1);
      outputPosition = writer.position(2);
      iterations.run();
      emitter.code().return_();
    });
  }

  private void along(boolean isReverse) {
    Value accumulator = emitter.variable(emitter.load(wide, accumulators, accumulatorPosition));
    writer.start();
    writer.steps(
        1,
        () -> {
          int mark = emitter.mark();
          emitter.assign(accumulator, next(accumulator, writer.index(inputPosition, isReverse)));
          storeResult(accumulator, writer.index(outputPosition, isReverse));
          emitter.release(mark);
        });
    emitter.store(wide, accumulators, accumulatorPosition, accumulator);
  }

  private void across() {
    writer.start();
    writer.steps(
        emitter.width(),
        () -> {
          int mark = emitter.mark();
          int index = writer.index(accumulatorPosition, 0);
          Value next =
              next(emitter.load(wide, accumulators, index), writer.index(inputPosition, 0));
          emitter.store(wide, accumulators, index, next);
          storeResult(next, writer.index(outputPosition, 0));
          emitter.release(mark);
        });
  }

  /** {@return the accumulator after the element at an index} */
  private Value next(Value accumulator, int index) {
    Value element = emitter.load(type, input, index);
    return step.write(emitter, List.of(accumulator, element)).get(0);
  }

  private void storeResult(Value accumulator, int index) {
    emitter.store(type, output, index, step.fromAccumulatorType(emitter, 0, accumulator));
  }
}
