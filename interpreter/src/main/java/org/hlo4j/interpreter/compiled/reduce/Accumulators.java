package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntBinaryOperator;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Doubles;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.expr.BodyCode;
import org.hlo4j.interpreter.compiled.expr.Reducer;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;

/**
 * The accumulators of a reduction of columns, one for each, or of a row that is reduced in order. A
 * sum of floats has as many rows of them as its {@link SummationOrder} says, followed by a row for
 * the sums of the parts before.
 *
 * <p>Each thread has arrays of its own, from {@link #arrays}. The terms are reduced in parts, in
 * order: {@link #start}, {@link #reduce} and {@link #end} for each of them, then {@link #finish}.
 * Threads reduce parts apart from each other by {@link #startApart}, {@link #reduce} and {@link
 * #partial}; then {@link #merge} takes the place of these.
 */
final class Accumulators {
  /** The number of rows that are added at once if there are not {@link ReduceLoops#ROWS}. */
  static final int FEW = 4;

  private static final int[] ROWS_AT_ONCE = {ReduceLoops.ROWS, FEW, 1};

  private final Reduction reduction;

  /** The numbers of the sources of the inputs. */
  private final ImmutableList<Integer> sources;

  /** The number of inputs. */
  private final int inputs;

  private final ImmutableList<LoopNode> roots;
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
   * @param roots the results of the kernel
   * @param columns the number of columns; 0 for a row
   */
  Accumulators(ReducePlan.Ordered ordered, ImmutableList<LoopNode> roots, int columns) {
    this.reduction = ordered.reduction();
    this.sources = ordered.sources();
    this.order = ordered.order();
    this.inputs = sources.size();
    this.roots = roots;
    Reducer body = reduction.body();
    int accumulators = order.accumulators() * columns;
    this.columns = columns;
    this.single =
        columns > 0 ? ReduceLoops.rows(body, 1, false) : ReduceLoops.inOrder(body, false, false);
    if (columns > 0) {
      addRows(ReduceLoops.ROWS);
    }
    if (order.isInterleaved()) {
      addRows(FEW);
    }
    this.dense =
        order.isInterleaved() && accumulators <= ReduceLoops.MAX_ACCUMULATORS
            ? ifNotTooLarge(() -> ReduceLoops.rounds(body, accumulators))
            : Optional.empty();
  }

  private void addRows(int rows) {
    ifNotTooLarge(() -> ReduceLoops.rows(reduction.body(), rows, false))
        .ifPresent(loop -> several.put(rows, loop));
  }

  /** {@return a loop, unless it has too many bytecodes; fewer rows are reduced at once then} */
  private static Optional<ReduceLoop> ifNotTooLarge(Supplier<ReduceLoop> loop) {
    try {
      return Optional.of(loop.get());
    } catch (TooLargeException manyBytecodes) {
      return Optional.empty();
    }
  }

  /** {@return the loops} */
  Stream<ReduceLoop> loops() {
    return Streams.concat(Stream.of(single), several.values().stream(), dense.stream());
  }

  private boolean isSum() {
    return reduction.body().isSum();
  }

  /**
   * {@return the arrays of the loops: those of the inputs, then new ones of accumulators}
   *
   * @param ofSources the array of each source
   */
  Object[] arrays(Object[] ofSources) {
    BodyCode code = reduction.body().code();
    int length = Math.max(1, columns) * (order.isInterleaved() ? order.accumulators() + 1 : 1);
    Object[] arrays = new Object[2 * inputs];
    for (int k = 0; k < inputs; k++) {
      arrays[k] = ofSources[sources.get(k)];
      arrays[inputs + k] = Storages.allocate(code.accumulatorType(k), length);
    }
    return arrays;
  }

  private static double[] sums(Object[] arrays) {
    return (double[]) arrays[1];
  }

  /**
   * Begins a part of the terms of the current results.
   *
   * @param operands the operands and tables
   * @param count the number of results
   */
  void start(Object[] arrays, Object[] operands, int part, int count) {
    if (order.isInterleaved()) {
      Arrays.fill(sums(arrays), 0, order.accumulators() * columns, -0.0);
    }
    for (int k = 0; part == 0 && k < inputs; k++) {
      LoopNode initial = reduction.initials().get(k);
      Object array =
          initial instanceof LoopNode.Read read
              ? operands[read.input()]
              : ((LoopNode.Immediate) initial).scalar().unsafeStorage();
      int index = initial instanceof LoopNode.Read read ? (int) read.position().base() : 0;
      fill(
          arrays[inputs + k],
          count,
          reduction.body().code().accumulatorType(k),
          array,
          index,
          initial.type());
    }
  }

  /** Fills accumulators with an initial value: with its bits, which may be those of a NaN. */
  static void fill(
      Object accumulators, int count, ElementType wide, Object array, int index, ElementType type) {
    if (wide == type) {
      Storages.fillBits(accumulators, 0, count, Storages.bits(array, index));
    } else {
      Arrays.fill((double[]) accumulators, 0, count, Doubles.read(type, array, index));
    }
  }

  /** Begins a part that is reduced apart from the others. */
  void startApart(Object[] arrays, Object[] operands, int part, int count) {
    if (isSum()) {
      start(arrays, operands, part, count);
    } else {
      SingleOpReducer reducer = SingleOpReducer.of(reduction.body());
      Storages.fill(arrays[1], 0, count, reducer.type(), reducer.neutralNumber());
    }
  }

  /**
   * Reduces elements of rows of innermost positions.
   *
   * @param starts for each source, where the elements of each row begin
   * @param count the number of elements of each
   */
  void reduce(Object[] arrays, int[][] starts, int count) {
    // Rows that fill no round all go to the first accumulators.
    int rows = starts[0].length;
    int sets = rows < order.accumulators() ? 1 : order.accumulators();
    for (int set = 0; set < sets; set++) {
      int first = set;
      IntBinaryOperator start = (input, round) -> starts[sources.get(input)][round * sets + first];
      reduce(arrays, set * columns, rows / sets, count, start);
    }
  }

  /** Reduces whole rows that follow each other in memory: some rounds of the accumulators. */
  void reduceDense(Object[] arrays, int[][] starts, int rows) {
    int at = starts[sources.get(0)][0];
    if (dense.isPresent()) {
      dense.get().run(arrays, new int[] {at, 0}, 0, rows * columns);
    } else {
      int round = order.accumulators() * columns;
      reduce(arrays, 0, rows / order.accumulators(), round, (_, number) -> at + number * round);
    }
  }

  /** Reduces some rows into the accumulators from an index on, as many at once as possible. */
  private void reduce(Object[] arrays, int to, int rows, int count, IntBinaryOperator start) {
    int row = 0;
    for (int atOnce : ROWS_AT_ONCE) {
      ReduceLoop loop = atOnce == 1 ? single : several.get(atOnce);
      for (; loop != null && rows - row >= atOnce; row += atOnce) {
        int first = row;
        int last = inputs * atOnce;
        int[] positions = new int[last + inputs];
        Arrays.setAll(
            positions, i -> i < last ? start.applyAsInt(i / atOnce, first + i % atOnce) : to);
        loop.run(arrays, positions, 0, count);
      }
    }
  }

  /**
   * Combines the rows of accumulators of a part in halves, and adds the sums to those of the parts
   * before.
   */
  void end(Object[] arrays, int part, int count) {
    if (!order.isInterleaved()) {
      return;
    }
    double[] sums = sums(arrays);
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

  /**
   * Stores the results: rounds sums to their type.
   *
   * @param outputs the results of the kernel
   * @param at the index of the current ones
   */
  @SuppressWarnings("SuspiciousSystemArraycopy") // arrays of one primitive type
  void finish(Object[] arrays, Object[] outputs, int at, int count) {
    for (int i = 0; i < outputs.length; i++) {
      LoopNode.Reduced root = (LoopNode.Reduced) roots.get(i);
      boolean isOwn = root.reduction().equals(reduction);
      if (isOwn && isSum()) {
        Doubles.write(root.type(), sums(arrays), 0, outputs[i], at, count);
      } else if (isOwn) {
        System.arraycopy(arrays[inputs + root.output()], 0, outputs[i], at, count);
      }
    }
  }

  /** {@return what a part was reduced to apart from the others} */
  Object partial(Object[] arrays, int count) {
    if (isSum()) {
      end(arrays, 0, count);
      return Arrays.copyOf(sums(arrays), count);
    }
    Object partial = Storages.allocate(reduction.body().type(), count);
    System.arraycopy(arrays[1], 0, partial, 0, count);
    return partial;
  }

  /** Combines what parts were reduced to, in order. */
  void merge(Object[] arrays, Object[] operands, Object[] partials, int count) {
    start(arrays, operands, 0, count);
    for (int part = 0; part < partials.length; part++) {
      if (!isSum()) {
        single.run(new Object[] {partials[part], arrays[1]}, new int[2], 0, count);
      } else if (part == 0) {
        System.arraycopy(partials[part], 0, sums(arrays), 0, count);
      } else {
        add(sums(arrays), 0, (double[]) partials[part], 0, count);
      }
    }
  }
}
