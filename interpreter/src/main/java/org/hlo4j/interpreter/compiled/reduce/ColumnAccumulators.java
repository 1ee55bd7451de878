package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.interpreter.compiled.arrays.Doubles;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.expr.Reducer;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;

/**
 * The accumulators of a reduction of columns, one for each, or of a row that is reduced in order. A
 * sum of floats has as many rows of them as its {@link SummationOrder} says, followed by a row for
 * the sums of the parts before; any other reduction accumulates in its result.
 */
final class ColumnAccumulators extends Accumulators {
  /** The number of rows that are added at once if there are not {@link ReduceLoops#ROWS}. */
  static final int FEW = 4;

  private static final int[] ROWS_AT_ONCE = {ReduceLoops.ROWS, FEW, 1};

  private final SummationOrder order;

  /** The number of accumulators in a row. */
  private final int columns;

  /** The loop over one row. */
  private final ReduceLoop single;

  /** The loop over {@link ReduceLoops#ROWS} rows, if there is one. */
  private final Optional<ReduceLoop> several;

  /** The loop over {@link #FEW} rows, if there are several rows of accumulators. */
  private final Optional<ReduceLoop> few;

  /**
   * The loop over rows that follow each other in memory and are so short that all accumulators stay
   * in registers, if they are.
   */
  private final Optional<ReduceLoop> dense;

  /**
   * Creates accumulators.
   *
   * @param columns the number of columns; 0 for a row
   */
  ColumnAccumulators(
      Reduction reduction,
      ImmutableList<ArrayLocation> sources,
      ImmutableList<ArrayLocation> results,
      int slot,
      SummationOrder order,
      int columns) {
    super(reduction, sources, results, slot);
    Reducer body = reduction.body();
    int accumulators = order.accumulators() * columns;
    boolean hasRows = columns > 0;
    this.order = order;
    this.columns = columns;
    this.single =
        hasRows ? ReduceLoops.rows(body, 1, false) : ReduceLoops.inOrder(body, false, false);
    this.several = hasRows ? Optional.of(rows(body, ReduceLoops.ROWS)) : Optional.empty();
    this.few = order.isInterleaved() ? Optional.of(rows(body, FEW)) : Optional.empty();
    this.dense =
        order.isInterleaved() && accumulators <= ReduceLoops.MAX_ACCUMULATORS
            ? Optional.of(ReduceLoops.rounds(SingleOpReducer.of(body), accumulators))
            : Optional.empty();
  }

  private static ReduceLoop rows(Reducer body, int rows) {
    try {
      return ReduceLoops.rows(body, rows, false);
    } catch (TooLargeException manyBytecodes) {
      return new RowByRow(ReduceLoops.rows(body, 1, false), body.count(), 0);
    }
  }

  SummationOrder order() {
    return order;
  }

  @Override
  Stream<ReduceLoop> loops() {
    return Stream.of(Optional.of(single), several, few, dense).flatMap(Optional::stream);
  }

  @Override
  int rowsAtOnce() {
    return 1;
  }

  private boolean isSum() {
    return reduction.body().isSum();
  }

  private double[] sums(ChunkFrame frame) {
    return (double[]) frame.arrays[slot];
  }

  @Override
  void start(ChunkFrame frame, int part, int count) {
    if (order.isInterleaved()) {
      Arrays.fill(sums(frame), 0, order.accumulators() * columns, -0.0);
    }
    if (part > 0) {
      return;
    }
    for (int k = 0; k < results.size(); k++) {
      LoopNode initial = reduction.initials().get(k);
      if (isSum()) {
        Arrays.fill(sums(frame), 0, count, number(frame, initial).doubleValue());
      } else {
        ArrayLocation result = results.get(k);
        int at = result.at(frame);
        // The bits as stored; they may be those of a NaN that the reducer copies.
        long bits = Storages.bits(array(frame, initial), index(initial));
        Storages.fillBits(frame.arrays[result.slot()], at, at + count, bits);
      }
    }
  }

  /** Begins a part. What is not a sum gets an array of its own in place of the result. */
  @Override
  void startApart(ChunkFrame frame, int part, int count) {
    if (isSum()) {
      start(frame, part, count);
      return;
    }
    SingleOpReducer reducer = SingleOpReducer.of(reduction.body());
    Object own = Storages.allocate(reducer.type(), count);
    Storages.fill(own, 0, count, reducer.type(), reducer.neutralNumber());
    frame.arrays[results.get(0).slot()] = own;
    frame.resultIndex = 0;
  }

  @Override
  void reduce(ChunkFrame frame, int[] innerRows, int count, int rowStride) {
    // Rows that fill no round all go to the first accumulators.
    int sets = innerRows.length < order.accumulators() ? 1 : order.accumulators();
    int rounds = innerRows.length / sets;
    int atOnce = rounds % ReduceLoops.ROWS == 0 ? ReduceLoops.ROWS : rounds == FEW ? FEW : 1;
    int inputs = sources.size();
    Object[] arrays = new Object[2 * inputs];
    int[] positions = new int[inputs * atOnce + inputs];
    for (int k = 0; k < inputs; k++) {
      ArrayLocation result = results.get(k);
      arrays[k] = frame.arrays[sources.get(k).slot()];
      arrays[inputs + k] = frame.arrays[isSum() ? slot : result.slot()];
      positions[inputs * atOnce + k] = isSum() ? 0 : result.at(frame);
    }
    for (int set = 0; set < sets; set++) {
      for (int round = 0; round < rounds; round += atOnce) {
        for (int k = 0; k < atOnce; k++) {
          int row = (round + k) * sets + set;
          frame.innerRow = innerRows[row];
          frame.workspace = row * rowStride;
          for (int input = 0; input < inputs; input++) {
            positions[input * atOnce + k] = sources.get(input).at(frame);
          }
        }
        loop(atOnce).run(arrays, positions, 0, count);
      }
      positions[positions.length - 1] += columns;
    }
  }

  /** Reduces whole rows that follow each other in memory: some rounds of the accumulators. */
  void reduceDense(ChunkFrame frame, int rows) {
    ArrayLocation source = sources.get(0);
    Object[] arrays = {frame.arrays[source.slot()], sums(frame)};
    int at = source.at(frame);
    if (dense.isPresent()) {
      dense.get().run(arrays, new int[] {at, 0}, 0, rows * columns);
      return;
    }
    int round = order.accumulators() * columns;
    int end = at + rows * columns;
    for (int atOnce : ROWS_AT_ONCE) {
      int[] positions = new int[atOnce + 1];
      for (; end - at >= atOnce * round; at += atOnce * round) {
        for (int k = 0; k < atOnce; k++) {
          positions[k] = at + k * round;
        }
        loop(atOnce).run(arrays, positions, 0, round);
      }
    }
  }

  private ReduceLoop loop(int rows) {
    return switch (rows) {
      case ReduceLoops.ROWS -> several.orElseThrow();
      case FEW -> few.orElseThrow();
      default -> single;
    };
  }

  /**
   * Combines the rows of accumulators of a part in halves, and adds the sums to those of the parts
   * before.
   */
  @Override
  void end(ChunkFrame frame, int part, int count) {
    if (!order.isInterleaved()) {
      return;
    }
    double[] sums = sums(frame);
    for (int half = order.accumulators() / 2; half > 0; half /= 2) {
      for (int set = 0; set < half; set++) {
        add(sums, set * columns, sums, (set + half) * columns, count);
      }
    }
    int before = order.accumulators() * columns;
    if (part > 0) {
      add(sums, before, sums, 0, count);
      System.arraycopy(sums, before, sums, 0, count);
    } else {
      System.arraycopy(sums, 0, sums, before, count);
    }
  }

  private static void add(double[] sums, int to, double[] others, int from, int count) {
    for (int i = 0; i < count; i++) {
      sums[to + i] += others[from + i];
    }
  }

  /** Rounds sums to their type. */
  @Override
  void finish(ChunkFrame frame, int count) {
    if (isSum()) {
      ArrayLocation result = results.get(0);
      Object array = frame.arrays[result.slot()];
      Doubles.write(reduction.body().type(), sums(frame), 0, array, result.at(frame), count);
    }
  }

  @Override
  Object partial(ChunkFrame frame, int count) {
    if (!isSum()) {
      return frame.arrays[results.get(0).slot()];
    }
    end(frame, 0, count);
    return Arrays.copyOf(sums(frame), count);
  }

  @Override
  void merge(ChunkFrame frame, Object[] partials, int count) {
    start(frame, 0, count);
    ArrayLocation result = results.get(0);
    for (int part = 0; part < partials.length; part++) {
      if (!isSum()) {
        Object[] arrays = {partials[part], frame.arrays[result.slot()]};
        single.run(arrays, new int[] {0, result.at(frame)}, 0, count);
      } else if (part == 0) {
        System.arraycopy(partials[part], 0, sums(frame), 0, count);
      } else {
        add(sums(frame), 0, (double[]) partials[part], 0, count);
      }
    }
    finish(frame, count);
  }
}
