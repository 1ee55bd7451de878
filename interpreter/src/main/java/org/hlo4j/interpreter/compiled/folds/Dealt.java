package org.hlo4j.interpreter.compiled.folds;

import org.hlo4j.hlo.ElementType;

/**
 * A fold of a row by an op whose order does not matter: its elements are dealt to accumulators in
 * turn, which are folded together in pairs. How many there are does not depend on the machine, so
 * that sums have the same bits everywhere.
 */
final class Dealt {
  private Dealt() {}

  static void start(Frame frame, Step step) {
    Single single = Single.of(step.fold().body());
    Number neutral =
        single.type().isFloating() ? (Number) single.neutralFloat() : (Number) single.neutral();
    int count = FoldLoops.accumulators(single);
    Cells.fill(frame.arrays[step.accumulators()], 0, count, single.wide(), neutral);
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

  static void finish(Frame frame, Step step) {
    Single single = Single.of(step.fold().body());
    ElementType type = single.type();
    Place place = step.results().get(0);
    int at = place.at(frame);
    Number initial = FoldKernel.initial(frame, step.fold().initials().get(0));
    Object dealt = frame.arrays[step.accumulators()];
    int count = FoldLoops.accumulators(single);
    Number result =
        type.isFloating()
            ? (Number) single.combine(initial.doubleValue(), together(single, dealt, count))
            : (Number) single.combine(initial.longValue(), togetherLong(single, dealt, count));
    Cells.fill(frame.arrays[place.slot()], at, at + 1, type, result);
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
