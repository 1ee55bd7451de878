package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Doubles;
import org.hlo4j.interpreter.compiled.arrays.ElementBits;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.expr.Reducer;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;

/**
 * The accumulators of a reduction of columns, one for each, or of a row that is reduced in order. A
 * sum of floats has as many rows of them as its {@link SummationOrder} says, followed by a row for
 * the sums of the parts before; any other reduction accumulates in its result.
 *
 * <p>The terms are reduced in parts, in order: {@link #start}, {@link #reduce} and {@link #end} for
 * each of them, then {@link #finish}. Threads reduce parts apart from each other by {@link
 * #startApart}, {@link #reduce} and {@link #partial}; then {@link #merge} takes the place of these.
 */
final class Accumulators {
  /** The number of rows that are added at once if there are not {@link ReduceLoops#ROWS}. */
  static final int FEW = 4;

  private static final int[] ROWS_AT_ONCE = {ReduceLoops.ROWS, FEW, 1};

  private final Reduction reduction;

  /** The locations of the inputs. */
  private final ImmutableList<ArrayLocation> sources;

  /** The locations of the results. */
  private final ImmutableList<ArrayLocation> results;

  /** The slot of the accumulators; -1 if they are the results themselves. */
  private final int slot;

  private final SummationOrder order;

  /** The number of accumulators in a row. */
  private final int columns;

  /** The loop over one row. */
  private final ReduceLoop single;

  /** The loops over several rows, by the number of rows. */
  private final Map<Integer, ReduceLoop> several = new HashMap<>();

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
  Accumulators(
      Reduction reduction,
      ImmutableList<ArrayLocation> sources,
      ImmutableList<ArrayLocation> results,
      int slot,
      SummationOrder order,
      int columns) {
    this.reduction = reduction;
    this.sources = sources;
    this.results = results;
    this.slot = slot;
    Reducer body = reduction.body();
    int accumulators = order.accumulators() * columns;
    boolean hasRows = columns > 0;
    this.order = order;
    this.columns = columns;
    this.single =
        hasRows ? ReduceLoops.rows(body, 1, false) : ReduceLoops.inOrder(body, false, false);
    if (hasRows) {
      addRows(ReduceLoops.ROWS);
    }
    if (order.isInterleaved()) {
      addRows(FEW);
    }
    this.dense =
        order.isInterleaved() && accumulators <= ReduceLoops.MAX_ACCUMULATORS
            ? Optional.of(ReduceLoops.rounds(SingleOpReducer.of(body), accumulators))
            : Optional.empty();
  }

  private void addRows(int rows) {
    try {
      several.put(rows, ReduceLoops.rows(reduction.body(), rows, false));
    } catch (TooLargeException manyBytecodes) {
      // Rows are reduced one by one.
    }
  }

  Reduction reduction() {
    return reduction;
  }

  SummationOrder order() {
    return order;
  }

  /** {@return the loops} */
  Stream<ReduceLoop> loops() {
    return Streams.concat(Stream.of(single), several.values().stream(), dense.stream());
  }

  /** {@return whether rows of some length that follow each other may be reduced as one} */
  boolean isDense(int inner) {
    ArrayLocation source = sources.get(0);
    return order.isInterleaved() && source.stride() == 1 && source.isContiguousAcrossRows(inner);
  }

  private boolean isSum() {
    return reduction.body().isSum();
  }

  private double[] sums(ChunkFrame frame) {
    return (double[]) frame.arrays[slot];
  }

  /**
   * Begins a part of the terms of the current results.
   *
   * @param count the number of results
   */
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
        Arrays.fill(
            sums(frame),
            0,
            count,
            Doubles.read(initial.type(), array(frame, initial), index(initial)));
      } else {
        ArrayLocation result = results.get(k);
        int at = result.at(frame);
        // The bits as stored; they may be those of a NaN that the reducer copies.
        long bits = Storages.bits(array(frame, initial), index(initial));
        Storages.fillBits(frame.arrays[result.slot()], at, at + count, bits);
      }
    }
  }

  /**
   * Begins a part that is reduced apart from the others, in a frame of its own. What is not a sum
   * gets an array of its own in place of the result.
   */
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

  /**
   * Reduces elements of rows of innermost positions.
   *
   * @param innerRows the index of each row
   * @param count the number of elements of each
   * @param rowStride the distance of rows in the workspace of a strip
   */
  void reduce(ChunkFrame frame, int[] innerRows, int count, int rowStride) {
    // Rows that fill no round all go to the first accumulators.
    int sets = innerRows.length < order.accumulators() ? 1 : order.accumulators();
    int rounds = innerRows.length / sets;
    int most = rounds % ReduceLoops.ROWS == 0 ? ReduceLoops.ROWS : rounds == FEW ? FEW : 1;
    int atOnce = several.containsKey(most) ? most : 1;
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
    for (int most : ROWS_AT_ONCE) {
      int atOnce = several.containsKey(most) ? most : 1;
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
    return several.getOrDefault(rows, single);
  }

  /**
   * Combines the rows of accumulators of a part in halves, and adds the sums to those of the parts
   * before.
   */
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

  /** Stores the results: rounds sums to their type. */
  void finish(ChunkFrame frame, int count) {
    if (isSum()) {
      ArrayLocation result = results.get(0);
      Object array = frame.arrays[result.slot()];
      Doubles.write(reduction.body().type(), sums(frame), 0, array, result.at(frame), count);
    }
  }

  /** {@return what a part was reduced to apart from the others} */
  Object partial(ChunkFrame frame, int count) {
    if (!isSum()) {
      return frame.arrays[results.get(0).slot()];
    }
    end(frame, 0, count);
    return Arrays.copyOf(sums(frame), count);
  }

  /** Combines what parts were reduced to, in order, and stores the results. */
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

  /** {@return the array that holds an initial value} */
  private static Object array(ChunkFrame frame, LoopNode initial) {
    return switch (initial) {
      case LoopNode.Immediate immediate -> immediate.scalar().unsafeStorage();
      case LoopNode.Read read -> frame.arrays[read.input()];
      default -> throw new AssertionError("an initial value that is computed");
    };
  }

  /** {@return the index of an initial value in its array} */
  private static int index(LoopNode initial) {
    return initial instanceof LoopNode.Read read ? (int) read.position().base() : 0;
  }

  /** {@return an element in its wide carrier type} */
  static Number number(Object array, int index, ElementType type) {
    return type.isFloating()
        ? (Number) Doubles.read(type, array, index)
        : (Number) ElementBits.read(type, array, index);
  }
}
