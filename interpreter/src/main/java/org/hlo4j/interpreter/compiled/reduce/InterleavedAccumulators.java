package org.hlo4j.interpreter.compiled.reduce;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.jspecify.annotations.Nullable;

/**
 * The accumulators of a reduction whose order does not matter. The elements of a row are
 * interleaved over the accumulators round-robin, and the accumulators are combined in pairs. Their
 * number does not depend on the machine, so that sums have the same bits everywhere. The loop
 * leaves a quarter of the accumulators of each row in the array; they are followed by the reduced
 * value of each row.
 */
final class InterleavedAccumulators {
  private final ReduceStep step;
  private final SingleOpReducer single;
  private final int count;
  private final int remainingCount;
  private final int firstReduced;
  private final Object neutral;
  private final ArrayLocation source;
  private final ArrayLocation result;
  private final LoopNode initial;
  private final @Nullable Number knownInitial;

  /** Creates the accumulators of a step that is interleaved. */
  InterleavedAccumulators(ReduceStep step) {
    this.step = step;
    this.single = SingleOpReducer.of(step.reduction());
    this.count = ReduceLoops.accumulators(single);
    this.remainingCount = ReduceLoops.remainingAccumulators(single);
    this.firstReduced = remainingCount * rowsAtOnce();
    this.neutral = Storages.allocate(single.wide(), firstReduced);
    Storages.fill(neutral, 0, firstReduced, single.wide(), single.neutralNumber());
    this.source = step.sources().get(0);
    this.result = step.results().get(0);
    this.initial = step.reduction().initials().get(0);
    this.knownInitial =
        initial instanceof LoopNode.Immediate immediate
            ? ReduceKernel.number(immediate.scalar().unsafeStorage(), 0, immediate.type())
            : null;
  }

  /** {@return the number of rows that are interleaved at once if there are enough rows} */
  int rowsAtOnce() {
    return step.multiRowLoop().isPresent() ? ReduceLoops.rowsAtOnce(single) : 1;
  }

  /** {@return whether elements have at most 32 bits} */
  boolean isNarrow() {
    return single.type().bits() <= Integer.SIZE;
  }

  private Object accumulators(ChunkFrame frame) {
    return frame.arrays[step.accumulators()];
  }

  /** Initializes the reduced values of rows, or of parts of rows. */
  @SuppressWarnings("SuspiciousSystemArraycopy") // arrays of one primitive type
  void start(ChunkFrame frame, int rows) {
    System.arraycopy(neutral, 0, accumulators(frame), firstReduced, rows);
  }

  /**
   * Reduces a number of elements of each row into its accumulators.
   *
   * @param innerRows the index of the row of innermost positions of each row: one, or {@link
   *     #rowsAtOnce}
   */
  @SuppressWarnings("SuspiciousSystemArraycopy") // arrays of one primitive type
  void reduce(ChunkFrame frame, int[] innerRows, int elements) {
    int rows = innerRows.length;
    Object accumulators = accumulators(frame);
    Object[] arrays = {frame.arrays[source.slot()], accumulators};
    int[] positions = new int[rows + 1];
    for (int row = 0; row < rows; row++) {
      frame.innerRow = innerRows[row];
      positions[row] = source.at(frame);
    }
    int rest = elements % count;
    if (rest < elements) {
      ReduceLoop loop = rows == 1 ? step.loop() : step.multiRowLoop().orElseThrow();
      loop.run(arrays, positions, 0, elements - rest);
    } else {
      System.arraycopy(neutral, 0, accumulators, 0, rows * remainingCount);
    }
    for (int row = 0; row < rows; row++) {
      if (rest > 0) {
        int[] own = {positions[row] + elements - rest, row * remainingCount};
        step.remainderLoop().run(arrays, own, 0, rest);
      }
      mergeAccumulators(accumulators, row * remainingCount, firstReduced + row);
    }
  }

  /** Combines the accumulators that the loop left of a row with its reduced value. */
  private void mergeAccumulators(Object accumulators, int from, int to) {
    switch (accumulators) {
      case double[] values -> values[to] = combine(values[to], combineRemaining(values, from));
      case float[] values -> values[to] = extremum(values[to], combineRemaining(values, from));
      case Object values -> {
        long value = Storages.bits(values, to);
        for (int i = from; i < from + remainingCount; i++) {
          value = single.combine(value, Storages.bits(values, i));
        }
        Storages.fill(values, to, to + 1, single.wide(), value);
      }
    }
  }

  private double combineRemaining(double[] values, int from) {
    for (int half = remainingCount / 2; half > 0; half /= 2) {
      for (int i = from; i < from + half; i++) {
        values[i] = combine(values[i], values[i + half]);
      }
    }
    return values[from];
  }

  private double combine(double lhs, double rhs) {
    return single.isSum() ? lhs + rhs : single.combine(lhs, rhs);
  }

  private float combineRemaining(float[] values, int from) {
    float extremum = values[from];
    for (int i = from + 1; i < from + remainingCount; i++) {
      extremum = extremum(extremum, values[i]);
    }
    return extremum;
  }

  /** {@return the maximum or the minimum; sums of floats have accumulators of doubles} */
  private float extremum(float lhs, float rhs) {
    return single.kind() == Elementwise.Kind.MAXIMUM ? Math.max(lhs, rhs) : Math.min(lhs, rhs);
  }

  /** {@return the reduced value of a row} */
  Number reduced(ChunkFrame frame, int row) {
    return switch (accumulators(frame)) {
      case double[] values -> (Number) values[firstReduced + row];
      case float[] values -> (Number) (double) values[firstReduced + row];
      case Object values -> (Number) Storages.bits(values, firstReduced + row);
    };
  }

  /** Combines the reduced value of a row with the initial value, and stores the result. */
  void finish(ChunkFrame frame, int row) {
    finishParts(frame, reduced(frame, row));
  }

  /**
   * Combines the reduced values of the parts of a row with the initial value, in order, and stores
   * the result.
   */
  void finishParts(ChunkFrame frame, Number... parts) {
    Number all = knownInitial == null ? ReduceKernel.initial(frame, initial) : knownInitial;
    for (Number part : parts) {
      all = combine(all, part);
    }
    int at = result.at(frame);
    if (frame.arrays[result.slot()] instanceof float[] floats && single.type() == ElementType.F32) {
      floats[at] = all.floatValue();
    } else {
      Storages.fill(frame.arrays[result.slot()], at, at + 1, single.type(), all);
    }
  }

  private Number combine(Number lhs, Number rhs) {
    return single.type().isFloating()
        ? (Number) single.combine(lhs.doubleValue(), rhs.doubleValue())
        : (Number) single.combine(lhs.longValue(), rhs.longValue());
  }
}
