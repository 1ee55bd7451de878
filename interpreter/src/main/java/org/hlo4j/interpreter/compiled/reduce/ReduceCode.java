package org.hlo4j.interpreter.compiled.reduce;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.expr.BodyCode;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/** Writes the loops that fold. */
final class ReduceCode {
  private static final int ROUNDS = 2;

  private ReduceCode() {}

  /**
   * Folds so many rows of an array, each dealt to accumulators of its own, element i to accumulator
   * i modulo their number, of which a quarter is left: the four quarters folded together in pairs.
   * Arrays: what is folded, and what is left. Positions: of the rows, and of what is left of the
   * first row. Whole rounds only; as many rounds at once as elements are folded together, the rest
   * one by one.
   */
  static void lanewise(Lanes lanes, SingleOpReducer single, int accumulators, int rows) {
    ReduceLoopWriter writer = new ReduceLoopWriter(lanes);
    AccumulatorState carried = new AccumulatorState(lanes, single);
    lanes.body(() -> {
      int array = writer.array(0, single.type());
      List<Integer> positions = new ArrayList<>();
      for (int row = 0; row < rows; row++) {
        positions.add(writer.position(row));
      }
      int wide = writer.array(1, single.wide());
      int first = writer.position(rows);
      List<Value> variables = new ArrayList<>();
      for (int k = 0; k < rows * accumulators; k += lanes.width()) {
        variables.add(lanes.variable(carried.neutral()));
      }
      IntConsumer iterations =
          rounds ->
              writer.steps(
                  rounds * accumulators,
                  () -> {
                    lanes.carried(variables);
                    int together = Math.min(single.together(), rounds);
                    for (int done = 0; done < rounds; done += together) {
                      for (int k = 0; k < variables.size(); k++) {
                        int mark = lanes.mark();
                        int at = k * lanes.width();
                        int position = positions.get(at / accumulators);
                        List<Value> elements = new ArrayList<>();
                        for (int round = done; round < done + together; round++) {
                          int index =
                              writer.index(position, at % accumulators + round * accumulators);
                          elements.add(lanes.load(single.type(), array, index));
                        }
                        Value element = single.pairs(lanes, elements);
                        lanes.assign(variables.get(k), carried.next(variables.get(k), element));
                        lanes.release(mark);
                      }
                    }
                  });
      writer.start();
      int rounds = Math.max(single.together(), rounds(lanes, rows));
      if (rounds > 1) {
        iterations.accept(rounds);
      }
      iterations.accept(1);
      lanes.carried(variables);
      int left = accumulators / SingleOpReducer.QUARTERS;
      for (int at = 0; at < rows * left; at += lanes.width()) {
        int of = (at / left * accumulators + at % left) / lanes.width();
        List<Value> quarters = new ArrayList<>();
        for (int k = 0; k < SingleOpReducer.QUARTERS; k++) {
          quarters.add(variables.get(of + k * left / lanes.width()));
        }
        Value even = carried.together(quarters.get(0), quarters.get(2));
        Value odd = carried.together(quarters.get(1), quarters.get(3));
        Value all = carried.folded(carried.together(even, odd));
        lanes.store(single.wide(), wide, writer.behind(first, at), all);
      }
      lanes.code().return_();
    });
  }

  /**
   * How many rounds a turn has. C2 repeats the code of a short turn and mixes up its loads; memory
   * does not foresee what they read, and one row comes at half the rate. Several do not need it.
   */
  private static int rounds(Lanes lanes, int rows) {
    return lanes.width() > 1 && rows == 1 ? ROUNDS : 1;
  }

  /**
   * Folds turn i into what is left, a power of two, modulo their number. Arrays: what is folded,
   * and what is left.
   */
  static void remainder(Lanes lanes, SingleOpReducer single, int left) {
    ReduceLoopWriter writer = new ReduceLoopWriter(lanes);
    lanes.body(() -> {
      int array = writer.array(0, single.type());
      int position = writer.position(0);
      int wide = writer.array(1, single.wide());
      int first = writer.position(1);
      writer.start();
      writer.steps(
          1,
          () -> {
            int mark = lanes.mark();
            Value element = lanes.load(single.type(), array, writer.index(position, 0));
            int index = writer.roundIndex(first, left);
            Value accumulator = lanes.load(single.wide(), wide, index);
            Value next = single.write(lanes, accumulator, element);
            lanes.store(single.wide(), wide, index, next);
            lanes.release(mark);
          });
      lanes.code().return_();
    });
  }

  /**
   * Folds turn after turn into the same accumulators, in order; scalar only. Arrays: what is
   * folded, then accumulators, one element each.
   */
  static void inOrder(Lanes lanes, Reducer body) {
    ReduceLoopWriter writer = new ReduceLoopWriter(lanes);
    BodyCode step = body.code();
    int count = body.count();
    lanes.body(() -> {
      List<Integer> arrays = new ArrayList<>();
      List<Integer> positions = new ArrayList<>();
      List<Value> accumulators = new ArrayList<>();
      for (int k = 0; k < 2 * count; k++) {
        arrays.add(
            writer.array(k, k < count ? step.elementType(k) : step.accumulatorType(k - count)));
        positions.add(writer.position(k));
      }
      for (int k = count; k < 2 * count; k++) {
        ElementType type = step.accumulatorType(k - count);
        accumulators.add(lanes.variable(lanes.load(type, arrays.get(k), positions.get(k))));
      }
      writer.start();
      writer.steps(
          1,
          () -> {
            int mark = lanes.mark();
            List<Value> elements = new ArrayList<>();
            for (int k = 0; k < count; k++) {
              int index = writer.index(positions.get(k), 0);
              elements.add(lanes.load(step.elementType(k), arrays.get(k), index));
            }
            step.fold(lanes, accumulators, elements);
            lanes.release(mark);
          });
      for (int k = 0; k < count; k++) {
        lanes.store(
            step.accumulatorType(k),
            arrays.get(count + k),
            positions.get(count + k),
            accumulators.get(k));
      }
      lanes.code().return_();
    });
  }

  /**
   * Folds so many rows into a row of accumulators, in order. Arrays: what is folded, then the
   * accumulators. Positions: of the rows of the first array, of the second ..., of the
   * accumulators.
   */
  static void rows(Lanes lanes, Reducer body, int rows) {
    ReduceLoopWriter writer = new ReduceLoopWriter(lanes);
    BodyCode step = body.code();
    int count = body.count();
    lanes.body(() -> {
      List<Integer> arrays = new ArrayList<>();
      for (int k = 0; k < 2 * count; k++) {
        arrays.add(
            writer.array(k, k < count ? step.elementType(k) : step.accumulatorType(k - count)));
      }
      List<Integer> positions = new ArrayList<>();
      for (int k = 0; k < count * rows + count; k++) {
        positions.add(writer.position(k));
      }
      writer.start();
      writer.steps(
          lanes.width(),
          () -> {
            int mark = lanes.mark();
            List<Integer> places = new ArrayList<>();
            List<Value> accumulators = new ArrayList<>();
            for (int k = 0; k < count; k++) {
              places.add(writer.index(positions.get(count * rows + k), 0));
              accumulators.add(
                  lanes.load(step.accumulatorType(k), arrays.get(count + k), places.get(k)));
            }
            for (int row = 0; row < rows; row++) {
              List<Value> elements = new ArrayList<>();
              for (int k = 0; k < count; k++) {
                int index = writer.index(positions.get(k * rows + row), 0);
                elements.add(lanes.load(step.elementType(k), arrays.get(k), index));
              }
              accumulators = step.write(lanes, accumulators, elements);
            }
            for (int k = 0; k < count; k++) {
              lanes.store(
                  step.accumulatorType(k),
                  arrays.get(count + k),
                  places.get(k),
                  accumulators.get(k));
            }
            lanes.release(mark);
          });
      lanes.code().return_();
    });
  }
}
