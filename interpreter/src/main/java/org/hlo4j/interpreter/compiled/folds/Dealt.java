package org.hlo4j.interpreter.compiled.folds;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.arrays.Storages;

/**
 * A fold of a row by an op whose order does not matter: its elements are dealt to accumulators in
 * turn, which are folded together in pairs. How many there are does not depend on the machine, so
 * that sums have the same bits everywhere.
 */
final class Dealt {
  private final Step step;
  private final Single single;
  private final int count;
  private final Object neutral;
  private final Place source;
  private final Place result;
  private final Node initial;

  /** A step of {@link Step.How#DEALT}. */
  Dealt(Step step) {
    this.step = step;
    this.single = Single.of(step.fold().body());
    this.count = FoldLoops.accumulators(single);
    this.neutral = Storages.allocate(single.wide(), count);
    Storages.fill(neutral, 0, count, single.wide(), single.neutralNumber());
    this.source = step.sources().get(0);
    this.result = step.results().get(0);
    this.initial = step.fold().initials().get(0);
  }

  /** How many rows are dealt at once where there are so many. */
  int rowsAtOnce() {
    return step.several().isPresent() ? FoldLoops.rowsAtOnce(single) : 1;
  }

  private Object accumulators(Frame frame) {
    return frame.arrays[step.accumulators()];
  }

  /** Begins rows, or parts of them. */
  @SuppressWarnings("SuspiciousSystemArraycopy") // arrays of one primitive type
  void start(Frame frame, int rows) {
    for (int row = 0; row < rows; row++) {
      System.arraycopy(neutral, 0, accumulators(frame), row * count, count);
    }
  }

  /** Deals elements of rows, one or as many as at once, each from its group of innermost ones. */
  void fold(Frame frame, int[] groups, int elements) {
    int rows = groups.length;
    Object[] arrays = {frame.arrays[source.slot()], accumulators(frame)};
    int[] positions = new int[rows + 1];
    for (int row = 0; row < rows; row++) {
      frame.group = groups[row];
      positions[row] = source.at(frame);
    }
    int rest = elements % count;
    (rows == 1 ? step.loop() : step.several().orElseThrow())
        .run(arrays, positions, 0, elements - rest);
    for (int row = 0; rest > 0 && row < rows; row++) {
      int[] own = {positions[row] + elements - rest, row * count};
      step.single().run(arrays, own, 0, rest);
    }
  }

  /** All accumulators of a row folded into one; they are used up. */
  Number together(Frame frame, int row) {
    int from = row * count;
    return switch (accumulators(frame)) {
      case double[] values -> together(values, from);
      case float[] values -> (double) together(values, from);
      case Object values -> togetherLong(values, from);
    };
  }

  private double together(double[] values, int from) {
    if (single.isSum()) {
      return sum(values, from);
    }
    for (int half = count / 2; half > 0; half /= 2) {
      for (int i = from; i < from + half; i++) {
        values[i] = single.combine(values[i], values[i + half]);
      }
    }
    return values[from];
  }

  /** Two halvings at a time: loops of so few turns cost more than their sums. */
  private double sum(double[] values, int from) {
    int left = count;
    while (left > 2) {
      int quarter = left / 4;
      for (int i = from; i < from + quarter; i++) {
        double even = values[i] + values[i + 2 * quarter];
        values[i] = even + (values[i + quarter] + values[i + 3 * quarter]);
      }
      left = quarter;
    }
    return left == 2 ? values[from] + values[from + 1] : values[from];
  }

  /** By the greater or the lesser: floats that are added are added as doubles. */
  private float together(float[] values, int from) {
    boolean isMaximum = single.kind() == Elementwise.Kind.MAXIMUM;
    for (int half = count / 2; half > 0; half /= 2) {
      if (isMaximum) {
        for (int i = from; i < from + half; i++) {
          values[i] = Math.max(values[i], values[i + half]);
        }
      } else {
        for (int i = from; i < from + half; i++) {
          values[i] = Math.min(values[i], values[i + half]);
        }
      }
    }
    return values[from];
  }

  private long togetherLong(Object values, int from) {
    long value = single.neutral();
    for (int i = from; i < from + count; i++) {
      value = single.combine(value, Storages.bits(values, i));
    }
    return value;
  }

  /** Folds what was dealt into the initial value, and stores the result of a row. */
  void finish(Frame frame, int row) {
    finishParts(frame, together(frame, row));
  }

  /** Folds parts of a row, in order, into the initial value, and stores the result. */
  void finishParts(Frame frame, Number... parts) {
    Number folded = FoldKernel.initial(frame, initial);
    for (Number part : parts) {
      folded = combine(folded, part);
    }
    int at = result.at(frame);
    if (frame.arrays[result.slot()] instanceof float[] floats && single.type() == ElementType.F32) {
      floats[at] = folded.floatValue();
    } else {
      Storages.fill(frame.arrays[result.slot()], at, at + 1, single.type(), folded);
    }
  }

  private Number combine(Number lhs, Number rhs) {
    return single.type().isFloating()
        ? (Number) single.combine(lhs.doubleValue(), rhs.doubleValue())
        : (Number) single.combine(lhs.longValue(), rhs.longValue());
  }
}
