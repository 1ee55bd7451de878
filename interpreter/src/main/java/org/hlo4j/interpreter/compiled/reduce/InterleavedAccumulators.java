package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;
import org.jspecify.annotations.Nullable;

/**
 * The accumulators of a reduction whose order does not matter. The elements of a row are
 * interleaved over the accumulators round-robin, and the accumulators are combined in pairs. Their
 * number does not depend on the machine, so that sums have the same bits everywhere. The loop
 * leaves a quarter of the accumulators of each row in the array; they are followed by the reduced
 * value of each row.
 */
final class InterleavedAccumulators extends Accumulators {
  private final SingleOpReducer single;
  private final int count;
  private final int remainingCount;
  private final int rowsAtOnce;
  private final int firstReduced;
  private final Object neutral;
  private final ArrayLocation source;
  private final ArrayLocation result;
  private final @Nullable Number knownInitial;

  /** The loop over one row. */
  private final ReduceLoop loop;

  /** The loop over the elements that fill no round. */
  private final ReduceLoop remainder;

  /** The loop over several rows at once. */
  private final Optional<ReduceLoop> several;

  /**
   * Creates accumulators.
   *
   * @param rowsAtOnce the number of rows that are interleaved at once if there are enough rows
   */
  InterleavedAccumulators(
      Reduction reduction,
      ImmutableList<ArrayLocation> sources,
      ImmutableList<ArrayLocation> results,
      int slot,
      int rowsAtOnce) {
    super(reduction, sources, results, slot);
    this.single = SingleOpReducer.of(reduction);
    this.count = ReduceLoops.accumulators(single);
    this.remainingCount = ReduceLoops.remainingAccumulators(single);
    this.rowsAtOnce = rowsAtOnce;
    this.firstReduced = remainingCount * rowsAtOnce;
    this.neutral = Storages.allocate(single.wide(), firstReduced);
    Storages.fill(neutral, 0, firstReduced, single.wide(), single.neutralNumber());
    this.source = sources.get(0);
    this.result = results.get(0);
    LoopNode initial = reduction.initials().get(0);
    this.knownInitial =
        initial instanceof LoopNode.Immediate immediate
            ? number(immediate.scalar().unsafeStorage(), 0, immediate.type())
            : null;
    this.loop = ReduceLoops.interleaved(single, 1);
    this.remainder = ReduceLoops.remainder(single);
    this.several =
        rowsAtOnce == 1
            ? Optional.empty()
            : Optional.of(ReduceLoops.interleaved(single, rowsAtOnce));
  }

  @Override
  Stream<ReduceLoop> loops() {
    return Stream.concat(Stream.of(loop, remainder), several.stream());
  }

  @Override
  int rowsAtOnce() {
    return rowsAtOnce;
  }

  private Object accumulators(ChunkFrame frame) {
    return frame.arrays[slot];
  }

  @Override
  @SuppressWarnings("SuspiciousSystemArraycopy") // arrays of one primitive type
  void start(ChunkFrame frame, int part, int rows) {
    System.arraycopy(neutral, 0, accumulators(frame), firstReduced, rows);
  }

  @Override
  void startApart(ChunkFrame frame, int part, int rows) {
    start(frame, part, rows);
  }

  @Override
  @SuppressWarnings("SuspiciousSystemArraycopy") // arrays of one primitive type
  void reduce(ChunkFrame frame, int[] innerRows, int elements, int rowStride) {
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
      (rows == 1 ? loop : several.orElseThrow()).run(arrays, positions, 0, elements - rest);
    } else {
      System.arraycopy(neutral, 0, accumulators, 0, rows * remainingCount);
    }
    for (int row = 0; row < rows; row++) {
      if (rest > 0) {
        int[] own = {positions[row] + elements - rest, row * remainingCount};
        remainder.run(arrays, own, 0, rest);
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

  @Override
  void end(ChunkFrame frame, int part, int rows) {}

  @Override
  Object partial(ChunkFrame frame, int rows) {
    return IntStream.range(0, rows).mapToObj(row -> reduced(frame, row)).toArray(Number[]::new);
  }

  /** {@return the reduced value of a row, or of a part of it} */
  private Number reduced(ChunkFrame frame, int row) {
    return switch (accumulators(frame)) {
      case double[] values -> (Number) values[firstReduced + row];
      case float[] values -> (Number) (double) values[firstReduced + row];
      case Object values -> (Number) Storages.bits(values, firstReduced + row);
    };
  }

  @Override
  void finish(ChunkFrame frame, int rows) {
    Number start = initial(frame);
    for (int row = 0; row < rows; row++) {
      store(frame, row, combine(start, reduced(frame, row)));
    }
  }

  @Override
  void merge(ChunkFrame frame, Object[] partials, int rows) {
    for (int row = 0; row < rows; row++) {
      Number all = initial(frame);
      for (Object partial : partials) {
        all = combine(all, ((Number[]) partial)[row]);
      }
      store(frame, row, all);
    }
  }

  private Number initial(ChunkFrame frame) {
    return knownInitial == null ? number(frame, reduction.initials().get(0)) : knownInitial;
  }

  private void store(ChunkFrame frame, int row, Number value) {
    int at = result.at(frame) + row;
    Object results = frame.arrays[result.slot()];
    if (results instanceof float[] floats && single.type() == ElementType.F32) {
      floats[at] = value.floatValue();
    } else {
      Storages.fill(results, at, at + 1, single.type(), value);
    }
  }

  private Number combine(Number lhs, Number rhs) {
    return single.type().isFloating()
        ? (Number) single.combine(lhs.doubleValue(), rhs.doubleValue())
        : (Number) single.combine(lhs.longValue(), rhs.longValue());
  }
}
