package org.hlo4j.interpreter.compiled.folds;

import org.hlo4j.hlo.ElementType;
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

  private Object accumulators(Frame frame) {
    return frame.arrays[step.accumulators()];
  }

  /** Begins a row, or a part of one. */
  @SuppressWarnings("SuspiciousSystemArraycopy") // arrays of one primitive type
  void start(Frame frame) {
    System.arraycopy(neutral, 0, accumulators(frame), 0, count);
  }

  /** Deals elements from where the frame is. */
  void fold(Frame frame, int elements) {
    Object[] arrays = {frame.arrays[source.slot()], accumulators(frame)};
    int[] positions = {source.at(frame), 0};
    int rest = elements % count;
    step.loop().run(arrays, positions, 0, elements - rest);
    if (rest > 0) {
      positions[0] += elements - rest;
      step.single().run(arrays, positions, 0, rest);
    }
  }

  /** All accumulators folded into one; they are used up. */
  Number together(Frame frame) {
    return switch (accumulators(frame)) {
      case double[] values -> together(values);
      case float[] values -> (double) together(values);
      case Object values -> togetherLong(values);
    };
  }

  private double together(double[] values) {
    for (int half = count / 2; half > 0; half /= 2) {
      if (single.isSum()) {
        for (int i = 0; i < half; i++) {
          values[i] += values[i + half];
        }
      } else {
        for (int i = 0; i < half; i++) {
          values[i] = single.combine(values[i], values[i + half]);
        }
      }
    }
    return values[0];
  }

  private float together(float[] values) {
    for (int half = count / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; i++) {
        values[i] = (float) single.combine(values[i], values[i + half]);
      }
    }
    return values[0];
  }

  private long togetherLong(Object values) {
    long value = single.neutral();
    for (int i = 0; i < count; i++) {
      value = single.combine(value, Storages.bits(values, i));
    }
    return value;
  }

  /** Folds what was dealt into the initial value, and stores the result of the row. */
  void finish(Frame frame) {
    finish(frame, together(frame));
  }

  /** Folds parts of a row, in order, into the initial value, and stores the result. */
  void finish(Frame frame, Number... parts) {
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
