package org.hlo4j.interpreter.compiled.reduce;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.BodyCode;
import org.hlo4j.interpreter.compiled.expr.Reducer;

/** The code generator of the loops that reduce. */
final class ReduceCode {
  private static final int ROUNDS = 2;

  private ReduceCode() {}

  /**
   * Writes a loop that reduces a few rows, each of them interleaved over accumulators of its own:
   * element i goes to accumulator i modulo their number. At the end, the four quarters of the
   * accumulators are combined in pairs, and a quarter of the accumulators is left. Arrays: the
   * elements, and the accumulators that are left. Positions: of each row, and of the accumulators
   * left of the first row. The loop processes whole rounds only, a round being one element for each
   * accumulator: as many rounds at once as elements are reduced together, then the rest one by one.
   *
   * @param continues whether the accumulators start from those in the array, and all are left there
   */
  static void interleaved(
      CodeEmitter emitter, SingleOpReducer single, int accumulators, int rows, boolean continues) {
    ReduceLoopWriter writer = new ReduceLoopWriter(emitter);
    AccumulatorState accumulatorState = new AccumulatorState(emitter, single);
    emitter.body(() -> {
      int array = writer.array(0, single.type());
      List<Integer> positions = new ArrayList<>();
      for (int row = 0; row < rows; row++) {
        positions.add(writer.position(row));
      }
      int wide = writer.array(1, single.wide());
      int first = writer.position(rows);
      List<Value> variables = new ArrayList<>();
      for (int k = 0; k < rows * accumulators; k += emitter.width()) {
        variables.add(
            emitter.variable(
                continues
                    ? emitter.load(single.wide(), wide, writer.offset(first, k))
                    : accumulatorState.neutral()));
      }
      IntConsumer iterations =
          rounds ->
              writer.steps(
                  rounds * accumulators,
                  () -> {
                    emitter.markLoopCarried(variables);
                    int elementsPerUpdate = Math.min(single.elementsPerUpdate(), rounds);
                    for (int done = 0; done < rounds; done += elementsPerUpdate) {
                      for (int k = 0; k < variables.size(); k++) {
                        int mark = emitter.mark();
                        int at = k * emitter.width();
                        int position = positions.get(at / accumulators);
                        List<Value> elements = new ArrayList<>();
                        for (int round = done; round < done + elementsPerUpdate; round++) {
                          int index =
                              writer.index(position, at % accumulators + round * accumulators);
                          elements.add(emitter.load(single.type(), array, index));
                        }
                        Value element = single.pairs(emitter, elements);
                        emitter.assign(
                            variables.get(k), accumulatorState.reduce(variables.get(k), element));
                        emitter.release(mark);
                      }
                    }
                  });
      writer.start();
      int rounds = continues ? 1 : Math.max(single.elementsPerUpdate(), rounds(emitter, rows));
      if (rounds > 1) {
        iterations.accept(rounds);
      }
      iterations.accept(1);
      emitter.markLoopCarried(variables);
      int parts = continues ? 1 : SingleOpReducer.QUARTERS;
      int remainingCount = accumulators / parts;
      for (int at = 0; at < rows * remainingCount; at += emitter.width()) {
        int of = (at / remainingCount * accumulators + at % remainingCount) / emitter.width();
        List<Value> quarters = new ArrayList<>();
        for (int k = 0; k < parts; k++) {
          quarters.add(variables.get(of + k * remainingCount / emitter.width()));
        }
        Value all = accumulatorState.fromCarried(single.pairs(emitter, quarters));
        emitter.store(single.wide(), wide, writer.offset(first, at), all);
      }
      emitter.code().return_();
    });
  }

  /**
   * {@return the number of rounds in an iteration} C2 unrolls a short iteration and reorders its
   * loads. The memory system does not predict such accesses, and a single row is read at half the
   * rate. Several rows do not need more than one round.
   */
  private static int rounds(CodeEmitter emitter, int rows) {
    return emitter.width() > 1 && rows == 1 ? ROUNDS : 1;
  }

  /**
   * Writes a loop that reduces element i into accumulator i modulo the number of accumulators left,
   * a power of two. Arrays: the elements, and the accumulators.
   */
  static void remainder(CodeEmitter emitter, SingleOpReducer single, int remainingCount) {
    ReduceLoopWriter writer = new ReduceLoopWriter(emitter);
    emitter.body(() -> {
      int array = writer.array(0, single.type());
      int position = writer.position(0);
      int wide = writer.array(1, single.wide());
      int first = writer.position(1);
      writer.start();
      writer.steps(
          1,
          () -> {
            int mark = emitter.mark();
            Value element = emitter.load(single.type(), array, writer.index(position, 0));
            int index = writer.roundIndex(first, remainingCount);
            Value accumulator = emitter.load(single.wide(), wide, index);
            Value next = single.write(emitter, accumulator, element);
            emitter.store(single.wide(), wide, index, next);
            emitter.release(mark);
          });
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
