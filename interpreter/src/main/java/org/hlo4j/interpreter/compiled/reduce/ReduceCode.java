package org.hlo4j.interpreter.compiled.reduce;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.BodyCode;
import org.hlo4j.interpreter.compiled.expr.Reducer;

/**
 * The code generator of the loops that reduce. Their arrays are those of the elements, then those
 * of the accumulators. A scan also stores the accumulators after each step, in arrays of results.
 */
final class ReduceCode {
  private final CodeEmitter emitter;
  private final ReduceLoopWriter writer;
  private final BodyCode step;
  private final int count;
  private final int arrays;

  /**
   * Creates a code generator.
   *
   * @param types the element types of the arrays
   */
  ReduceCode(CodeEmitter emitter, Reducer body, List<ElementType> types) {
    this.emitter = emitter;
    this.writer = new ReduceLoopWriter(emitter, types);
    this.step = body.code();
    this.count = body.count();
    this.arrays = types.size();
  }

  /**
   * Writes a loop that reduces element i into accumulator i modulo their number. They stay in
   * registers. The loop processes whole rounds only, a round being one element for each
   * accumulator; with one accumulator, elements are reduced in order.
   *
   * @param isReverse whether elements and results are accessed backwards from the positions; with
   *     one accumulator only
   */
  void interleaved(int accumulators, boolean isReverse) {
    emitter.body(() -> {
      List<List<Value>> all = new ArrayList<>();
      for (int k = 0; k < accumulators; k += emitter.width()) {
        int offset = k;
        List<Value> loaded = loaded(count, array -> fixed(array, offset));
        all.add(loaded.stream().map(emitter::variable).toList());
      }
      writer.start();
      writer.steps(
          accumulators,
          () -> {
            all.forEach(emitter::markLoopCarried);
            int[] starts = new int[arrays];
            Arrays.setAll(starts, array -> writer.index(writer.position(array), isReverse));
            for (int k = 0; k < all.size(); k++) {
              int mark = emitter.mark();
              int offset = k * emitter.width();
              IntUnaryOperator index = array -> writer.offset(starts[array], offset);
              step.reduce(emitter, all.get(k), loaded(0, index));
              storeResults(all.get(k), index);
              emitter.release(mark);
            }
          });
      all.forEach(emitter::markLoopCarried);
      for (int k = 0; k < all.size(); k++) {
        int offset = k * emitter.width();
        store(all.get(k), array -> fixed(array, offset));
      }
      emitter.code().return_();
    });
  }

  /**
   * Writes a loop that reduces a number of rows into a row of accumulators, in order. Positions:
   * those of the rows of the first array, those of the rows of the second array and so on, then
   * those of the accumulators and of the results.
   */
  void rows(int rows) {
    int skipped = count * (rows - 1);
    emitter.body(() -> {
      writer.start();
      writer.steps(
          emitter.width(),
          () -> {
            int mark = emitter.mark();
            IntUnaryOperator index = array -> writer.index(writer.position(skipped + array), 0);
            int[] indices = IntStream.range(count, 2 * count).map(index).toArray();
            IntUnaryOperator own = array -> indices[array - count];
            List<Value> accumulators = loaded(count, own);
            for (int k = 0; k < rows; k++) {
              int row = k;
              List<Value> elements =
                  loaded(0, array -> writer.index(writer.position(array * rows + row), 0));
              accumulators = step.write(emitter, accumulators, elements);
            }
            store(accumulators, own);
            storeResults(accumulators, index);
            emitter.release(mark);
          });
      emitter.code().return_();
    });
  }

  /** {@return the index in an array of accumulators that the iterations share} */
  private int fixed(int array, int offset) {
    return writer.offset(writer.position(array), offset);
  }

  /** {@return an element of each of the arrays of elements, or of accumulators} */
  private List<Value> loaded(int first, IntUnaryOperator index) {
    return IntStream.range(first, first + count)
        .mapToObj(array -> writer.load(array, index.applyAsInt(array)))
        .toList();
  }

  private void store(List<Value> accumulators, IntUnaryOperator index) {
    for (int k = 0; k < count; k++) {
      writer.store(count + k, index.applyAsInt(count + k), accumulators.get(k));
    }
  }

  /** Stores the accumulators as results of a scan, if this is one. */
  private void storeResults(List<Value> accumulators, IntUnaryOperator index) {
    for (int array = 2 * count; array < arrays; array++) {
      int number = array - 2 * count;
      Value result = step.fromAccumulatorType(emitter, number, accumulators.get(number));
      writer.store(array, index.applyAsInt(array), result);
    }
  }
}
