package org.hlo4j.interpreter.compiled.folds;

/**
 * A fold of a row by an op whose order does not matter: its elements are dealt to accumulators in
 * turn, which are folded together in pairs. How many there are does not depend on the machine, so
 * that sums have the same bits everywhere.
 */
final class Dealt {
  private Dealt() {}

  static void start(Frame frame, Step step) {
    Single single = Single.of(step.fold().body());
    int count = FoldLoops.accumulators(single);
    Cells.fill(frame.arrays[step.accumulators()], 0, count, single.wide(), single.neutralNumber());
  }

  static void fold(Frame frame, Step step, int count) {
    Place source = step.sources().get(0);
    Object[] arrays = {frame.arrays[source.slot()], frame.arrays[step.accumulators()]};
    int[] positions = {source.at(frame), 0};
    int rest = count % FoldLoops.accumulators(Single.of(step.fold().body()));
    step.loop().run(arrays, positions, 0, count - rest);
    if (rest > 0) {
      positions[0] += count - rest;
      step.single().run(arrays, positions, 0, rest);
    }
  }

  /** All accumulators folded into one. */
  static Number together(Frame frame, Step step) {
    Single single = Single.of(step.fold().body());
    Object dealt = frame.arrays[step.accumulators()];
    int count = FoldLoops.accumulators(single);
    return single.type().isFloating()
        ? (Number) together(single, dealt, count)
        : (Number) togetherLong(single, dealt, count);
  }

  /** Folds parts of a row, in order, into the initial value, and stores the result. */
  static void finish(Frame frame, Step step, Number... parts) {
    Single single = Single.of(step.fold().body());
    Place place = step.results().get(0);
    Number result = FoldKernel.initial(frame, step.fold().initials().get(0));
    for (Number part : parts) {
      result = combine(single, result, part);
    }
    int at = place.at(frame);
    Cells.fill(frame.arrays[place.slot()], at, at + 1, single.type(), result);
  }

  private static Number combine(Single single, Number lhs, Number rhs) {
    return single.type().isFloating()
        ? (Number) single.combine(lhs.doubleValue(), rhs.doubleValue())
        : (Number) single.combine(lhs.longValue(), rhs.longValue());
  }

  private static double together(Single single, Object dealt, int count) {
    double[] values = new double[count];
    for (int i = 0; i < count; i++) {
      values[i] = Cells.doubleAt(dealt, i, single.wide());
    }
    for (int half = count / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; i++) {
        values[i] = single.combine(values[i], values[i + half]);
      }
    }
    return values[0];
  }

  private static long togetherLong(Single single, Object dealt, int count) {
    long value = single.neutral();
    for (int i = 0; i < count; i++) {
      value = single.combine(value, Cells.longAt(dealt, i));
    }
    return value;
  }
}
