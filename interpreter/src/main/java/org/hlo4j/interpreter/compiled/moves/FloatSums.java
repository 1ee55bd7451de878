package org.hlo4j.interpreter.compiled.moves;

import org.hlo4j.hlo.ElementType;

/** Sums of floats of any type, in double; rounded to the type when they are complete. */
final class FloatSums {
  private FloatSums() {}

  /** {@code sums[t + i * toStep] += from[f + i * fromStep]} for i below count. */
  static void add(ElementType type, double[] sums, WindowPlaces.Span span, Object from, int f) {
    switch (from) {
      case float[] floats -> add(sums, span, floats, f);
      case double[] doubles -> add(sums, span, doubles, f);
      default -> {
        for (int i = 0; i < span.count(); i++) {
          long carrier = Carrier.read(type, from, f + i * span.fromStep());
          sums[span.first() + i * span.step()] += Double.longBitsToDouble(carrier);
        }
      }
    }
  }

  private static void add(double[] sums, WindowPlaces.Span span, float[] from, int f) {
    int first = span.first();
    if (span.step() == 1 && span.fromStep() == 1) {
      for (int i = 0; i < span.count(); i++) {
        sums[first + i] += from[f + i];
      }
      return;
    }
    int at = f;
    for (int i = 0; i < span.count(); i++) {
      sums[first] += from[at];
      first += span.step();
      at += span.fromStep();
    }
  }

  private static void add(double[] sums, WindowPlaces.Span span, double[] from, int f) {
    int first = span.first();
    if (span.step() == 1 && span.fromStep() == 1) {
      for (int i = 0; i < span.count(); i++) {
        sums[first + i] += from[f + i];
      }
      return;
    }
    int at = f;
    for (int i = 0; i < span.count(); i++) {
      sums[first] += from[at];
      first += span.step();
      at += span.fromStep();
    }
  }

  /** {@code to[t + i] = sums[i]}, rounded, for i below count. */
  static void store(ElementType type, double[] sums, Object to, int t, int count) {
    if (to instanceof float[] floats) {
      for (int i = 0; i < count; i++) {
        floats[t + i] = (float) sums[i];
      }
    } else if (to instanceof double[] doubles) {
      System.arraycopy(sums, 0, doubles, t, count);
    } else {
      for (int i = 0; i < count; i++) {
        Carrier.write(type, to, t + i, Double.doubleToRawLongBits(sums[i]));
      }
    }
  }
}
