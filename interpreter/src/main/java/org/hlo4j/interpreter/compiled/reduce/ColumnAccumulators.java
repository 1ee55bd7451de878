package org.hlo4j.interpreter.compiled.reduce;

import java.util.Arrays;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Storages;

/**
 * The accumulators of a reduction of columns. A sum of floats has as many rows of them as its
 * {@link SummationOrder} says, followed by a row for the sums of the parts before; any other
 * reduction accumulates in its result.
 *
 * @param step the reduction
 * @param order the order of its terms
 * @param columns the number of accumulators in a row
 */
record ColumnAccumulators(ReduceStep step, SummationOrder order, int columns) {
  /** The number of rows that are added at once if there are not {@link ReduceLoops#ROWS}. */
  static final int FEW = 4;

  static ColumnAccumulators of(ReduceStep step, long terms, int columns) {
    SummationOrder order = SummationOrder.across(step.reduction().body(), terms);
    return new ColumnAccumulators(step, order, columns);
  }

  private double[] sums(ChunkFrame frame) {
    return (double[]) frame.arrays[step.accumulators()];
  }

  /** Initializes the accumulators of a part of the terms. */
  void start(ChunkFrame frame, int part, int count) {
    if (step.isSum()) {
      int all = order.accumulators() * columns;
      Arrays.fill(sums(frame), 0, all, single().neutralFloat());
    }
    if (part == 0) {
      ReduceKernel.start(frame, step, count);
    }
  }

  /**
   * Initializes the accumulators of a part that is reduced apart from the others. What is not a sum
   * gets an array of its own in place of the result.
   */
  void startApart(ChunkFrame frame, int part, int count) {
    if (step.isSum()) {
      start(frame, part, count);
      return;
    }
    ElementType type = single().type();
    Object own = Storages.allocate(type, count);
    Storages.fill(own, 0, count, type, single().neutralNumber());
    frame.arrays[step.results().get(0).slot()] = own;
    frame.resultIndex = 0;
  }

  private SingleOpReducer single() {
    return SingleOpReducer.of(step.reduction().body());
  }

  /**
   * Reduces rows of a part: some rounds of the accumulators, or rows that fill none.
   *
   * @param rowStride the distance of rows in the workspace of a strip
   */
  void reduce(ChunkFrame frame, int[] innerRows, int count, int rowStride) {
    int rounds = innerRows.length / order.accumulators();
    if (!order.isInterleaved() || rounds == 0) {
      ReduceKernel.reduce(frame, step, innerRows, count, rowStride);
      return;
    }
    ArrayLocation source = step.sources().get(0);
    Object[] arrays = {frame.arrays[source.slot()], sums(frame)};
    int[] rows = new int[innerRows.length];
    for (int row = 0; row < rows.length; row++) {
      frame.innerRow = innerRows[row];
      frame.workspace = row * rowStride;
      rows[row] = source.at(frame);
    }
    int atOnce = rounds == ReduceLoops.ROWS || rounds == FEW ? rounds : 1;
    ReduceLoop loop = loop(atOnce);
    int[] positions = new int[atOnce + 1];
    for (int set = 0; set < order.accumulators(); set++) {
      positions[atOnce] = set * columns;
      for (int round = 0; round < rounds; round += atOnce) {
        for (int k = 0; k < atOnce; k++) {
          positions[k] = rows[(round + k) * order.accumulators() + set];
        }
        loop.run(arrays, positions, 0, count);
      }
    }
  }

  /** Reduces whole rows that follow each other in memory: some rounds of the accumulators. */
  void reduceDense(ChunkFrame frame, int rows) {
    ArrayLocation source = step.sources().get(0);
    Object[] arrays = {frame.arrays[source.slot()], sums(frame)};
    int at = source.at(frame);
    if (step.denseLoop().isPresent()) {
      step.denseLoop().get().run(arrays, new int[] {at, 0}, 0, rows * columns);
      return;
    }
    int round = order.accumulators() * columns;
    int end = at + rows * columns;
    for (int atOnce : new int[] {ReduceLoops.ROWS, FEW, 1}) {
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
      case ReduceLoops.ROWS -> step.loop();
      case FEW -> step.multiRowLoop().orElseThrow();
      default -> step.remainderLoop();
    };
  }

  /** Combines the rows of accumulators in halves: the sums of a part are left in the first row. */
  void combineRows(ChunkFrame frame, int count) {
    if (step.isSum()) {
      double[] sums = sums(frame);
      for (int half = order.accumulators() / 2; half > 0; half /= 2) {
        for (int set = 0; set < half; set++) {
          add(sums, set * columns, sums, (set + half) * columns, count);
        }
      }
    }
  }

  /** Adds the sums of a part to those of the parts before. */
  void addPart(ChunkFrame frame, int part, int count) {
    if (step.isSum() && order.isInterleaved()) {
      double[] sums = sums(frame);
      int before = order.accumulators() * columns;
      if (part > 0) {
        add(sums, before, sums, 0, count);
        System.arraycopy(sums, before, sums, 0, count);
      } else {
        System.arraycopy(sums, 0, sums, before, count);
      }
    }
  }

  /** {@return what a part was reduced to apart from the others} */
  Object partial(ChunkFrame frame, int count) {
    return step.isSum()
        ? Arrays.copyOf(sums(frame), count)
        : frame.arrays[step.results().get(0).slot()];
  }

  /** Combines what the parts were reduced to, in order. */
  void combine(ChunkFrame frame, Object[] partials, int count) {
    if (!step.isSum()) {
      ReduceKernel.start(frame, step, count);
      ArrayLocation result = step.results().get(0);
      for (Object partial : partials) {
        Object[] arrays = {partial, frame.arrays[result.slot()]};
        step.remainderLoop().run(arrays, new int[] {0, result.at(frame)}, 0, count);
      }
      return;
    }
    double[] sums = sums(frame);
    System.arraycopy(partials[0], 0, sums, 0, count);
    for (int k = 1; k < partials.length; k++) {
      add(sums, 0, (double[]) partials[k], 0, count);
    }
  }

  private static void add(double[] sums, int to, double[] others, int from, int count) {
    for (int i = 0; i < count; i++) {
      sums[to + i] += others[from + i];
    }
  }
}
