package org.hlo4j.interpreter.compiled.reduce;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.BodyCode;
import org.hlo4j.interpreter.compiled.expr.Reducer;

/** The code generator of the loops that reduce. */
final class ReduceCode {
  private ReduceCode() {}

  /**
   * Writes a loop that adds element i to accumulator i modulo their number. Arrays: the elements,
   * and the accumulators. The loop processes whole rounds only, a round being one element for each
   * accumulator.
   */
  static void rounds(CodeEmitter emitter, SingleOpReducer single, int accumulators) {
    ReduceLoopWriter writer = new ReduceLoopWriter(emitter);
    int width = emitter.width();
    emitter.body(() -> {
      int array = writer.array(0, single.type());
      int position = writer.position(0);
      int wide = writer.array(1, single.wide());
      int first = writer.position(1);
      List<Value> variables = new ArrayList<>();
      for (int k = 0; k < accumulators; k += width) {
        variables.add(emitter.variable(emitter.load(single.wide(), wide, writer.offset(first, k))));
      }
      writer.start();
      writer.steps(
          accumulators,
          () -> {
            emitter.markLoopCarried(variables);
            for (int k = 0; k < variables.size(); k++) {
              int mark = emitter.mark();
              Value element = emitter.load(single.type(), array, writer.index(position, k * width));
              emitter.assign(variables.get(k), single.write(emitter, variables.get(k), element));
              emitter.release(mark);
            }
          });
      emitter.markLoopCarried(variables);
      for (int k = 0; k < variables.size(); k++) {
        emitter.store(single.wide(), wide, writer.offset(first, k * width), variables.get(k));
      }
      emitter.code().return_();
    });
  }

  /**
   * Writes a loop that reduces all elements into the same accumulators, in order; scalar only.
   * Arrays: the elements, then accumulators of one element each. A scan also stores the
   * accumulators after each element, in arrays of results.
   *
   * @param types the element types of the arrays
   * @param isReverse whether elements and results are accessed backwards from the positions
   */
  static void inOrder(
      CodeEmitter emitter, Reducer body, List<ElementType> types, boolean isReverse) {
    ReduceLoopWriter writer = new ReduceLoopWriter(emitter);
    BodyCode step = body.code();
    int count = body.count();
    emitter.body(() -> {
      List<Integer> arrays = writer.arrays(types);
      List<Integer> positions = writer.positions(types.size());
      List<Value> accumulators = new ArrayList<>();
      for (int k = count; k < 2 * count; k++) {
        accumulators.add(
            emitter.variable(emitter.load(types.get(k), arrays.get(k), positions.get(k))));
      }
      writer.start();
      writer.steps(
          1,
          () -> {
            int mark = emitter.mark();
            List<Value> elements = new ArrayList<>();
            for (int k = 0; k < count; k++) {
              int index = writer.index(positions.get(k), isReverse);
              elements.add(emitter.load(types.get(k), arrays.get(k), index));
            }
            step.reduce(emitter, accumulators, elements);
            for (int k = 2 * count; k < types.size(); k++) {
              int index = writer.index(positions.get(k), isReverse);
              storeResult(emitter, step, k - 2 * count, arrays.get(k), index, accumulators);
            }
            emitter.release(mark);
          });
      for (int k = count; k < 2 * count; k++) {
        emitter.store(types.get(k), arrays.get(k), positions.get(k), accumulators.get(k - count));
      }
      emitter.code().return_();
    });
  }

  private static void storeResult(
      CodeEmitter emitter,
      BodyCode step,
      int number,
      int array,
      int index,
      List<Value> accumulators) {
    Value result = step.fromAccumulatorType(emitter, number, accumulators.get(number));
    emitter.store(step.elementType(number), array, index, result);
  }

  /**
   * Writes a loop that reduces a number of rows into a row of accumulators, in order. Arrays: the
   * elements, then the accumulators. Positions: those of the rows of the first array, those of the
   * rows of the second array and so on, then those of the accumulators. A scan also stores the
   * accumulators in a row of each array of results.
   *
   * @param types the element types of the arrays
   */
  static void rows(CodeEmitter emitter, Reducer body, List<ElementType> types, int rows) {
    ReduceLoopWriter writer = new ReduceLoopWriter(emitter);
    BodyCode step = body.code();
    int count = body.count();
    int skipped = count * (rows - 1);
    emitter.body(() -> {
      List<Integer> arrays = writer.arrays(types);
      List<Integer> positions = writer.positions(skipped + types.size());
      writer.start();
      writer.steps(
          emitter.width(),
          () -> {
            int mark = emitter.mark();
            List<Integer> indices = new ArrayList<>();
            List<Value> accumulators = new ArrayList<>();
            for (int k = count; k < 2 * count; k++) {
              int index = writer.index(positions.get(skipped + k), 0);
              indices.add(index);
              accumulators.add(emitter.load(types.get(k), arrays.get(k), index));
            }
            for (int row = 0; row < rows; row++) {
              List<Value> elements = new ArrayList<>();
              for (int k = 0; k < count; k++) {
                int index = writer.index(positions.get(k * rows + row), 0);
                elements.add(emitter.load(types.get(k), arrays.get(k), index));
              }
              accumulators = step.write(emitter, accumulators, elements);
            }
            for (int k = 0; k < count; k++) {
              emitter.store(
                  types.get(count + k), arrays.get(count + k), indices.get(k), accumulators.get(k));
            }
            for (int k = 2 * count; k < types.size(); k++) {
              int index = writer.index(positions.get(skipped + k), 0);
              storeResult(emitter, step, k - 2 * count, arrays.get(k), index, accumulators);
            }
            emitter.release(mark);
          });
      emitter.code().return_();
    });
  }
}
