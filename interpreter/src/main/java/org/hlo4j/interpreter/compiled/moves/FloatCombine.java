package org.hlo4j.interpreter.compiled.moves;

import org.hlo4j.hlo.op.Elementwise;

/** Combines {@code float[]}. */
final class FloatCombine extends Combine {
  private final Elementwise.Kind kind;

  FloatCombine(Elementwise.Kind kind) {
    this.kind = kind;
  }

  @Override
  void run(Object to, int t, Object from, int f, int count) {
    float[] a = (float[]) to;
    float[] b = (float[]) from;
    if (kind == Elementwise.Kind.ADD) {
      for (int i = 0; i < count; i++) {
        a[t + i] += b[f + i];
      }
    } else if (kind == Elementwise.Kind.MULTIPLY) {
      for (int i = 0; i < count; i++) {
        a[t + i] *= b[f + i];
      }
    } else if (kind == Elementwise.Kind.MAXIMUM) {
      for (int i = 0; i < count; i++) {
        a[t + i] = Math.max(a[t + i], b[f + i]);
      }
    } else if (kind == Elementwise.Kind.MINIMUM) {
      for (int i = 0; i < count; i++) {
        a[t + i] = Math.min(a[t + i], b[f + i]);
      }
    } else {
      each(a, t, b, f, count);
    }
  }

  @Override
  void strided(Object to, int t, int toStep, Object from, int f, int fromStep, int count) {
    float[] a = (float[]) to;
    float[] b = (float[]) from;
    int put = t;
    int at = f;
    if (kind == Elementwise.Kind.MAXIMUM) {
      for (int i = 0; i < count; i++) {
        a[put] = Math.max(a[put], b[at]);
        put += toStep;
        at += fromStep;
      }
      return;
    }
    for (int i = 0; i < count; i++) {
      a[put] = combined(a[put], b[at]);
      put += toStep;
      at += fromStep;
    }
  }

  private void each(float[] a, int t, float[] b, int f, int count) {
    for (int i = 0; i < count; i++) {
      a[t + i] = combined(a[t + i], b[f + i]);
    }
  }

  @Override
  void points(Object to, int[] at, Object from, int f, int count) {
    float[] a = (float[]) to;
    float[] b = (float[]) from;
    for (int i = 0; i < count; i++) {
      if (at[i] >= 0) {
        a[at[i]] = combined(a[at[i]], b[f + i]);
      }
    }
  }

  private float combined(float a, float b) {
    return switch (kind) {
      case ADD -> a + b;
      case MULTIPLY -> a * b;
      case MAXIMUM -> Math.max(a, b);
      case MINIMUM -> Math.min(a, b);
      case Elementwise.Kind other -> throw new AssertionError(other);
    };
  }
}
