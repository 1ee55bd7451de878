package org.hlo4j.interpreter.compiled.moves;

import org.hlo4j.hlo.op.Elementwise;

/** Combines {@code int[]}, signed or unsigned. */
final class IntCombine extends Combine {
  private final Elementwise.Kind kind;

  /** What turns the order of signed numbers into that of unsigned ones, or nothing. */
  private final int flip;

  IntCombine(Elementwise.Kind kind, boolean isUnsigned) {
    this.kind = kind;
    this.flip = isUnsigned ? Integer.MIN_VALUE : 0;
  }

  @Override
  void run(Object to, int t, Object from, int f, int count) {
    int[] a = (int[]) to;
    int[] b = (int[]) from;
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
        a[t + i] = Math.max(a[t + i] ^ flip, b[f + i] ^ flip) ^ flip;
      }
    } else if (kind == Elementwise.Kind.MINIMUM) {
      for (int i = 0; i < count; i++) {
        a[t + i] = Math.min(a[t + i] ^ flip, b[f + i] ^ flip) ^ flip;
      }
    } else {
      each(a, t, b, f, count);
    }
  }

  @Override
  void strided(Object to, int t, int toStep, Object from, int f, int fromStep, int count) {
    int[] a = (int[]) to;
    int[] b = (int[]) from;
    int put = t;
    int at = f;
    if (kind == Elementwise.Kind.MAXIMUM) {
      for (int i = 0; i < count; i++) {
        a[put] = Math.max(a[put] ^ flip, b[at] ^ flip) ^ flip;
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

  private void each(int[] a, int t, int[] b, int f, int count) {
    for (int i = 0; i < count; i++) {
      a[t + i] = combined(a[t + i], b[f + i]);
    }
  }

  @Override
  void points(Object to, int[] at, Object from, int f, int count) {
    int[] a = (int[]) to;
    int[] b = (int[]) from;
    for (int i = 0; i < count; i++) {
      if (at[i] >= 0) {
        a[at[i]] = combined(a[at[i]], b[f + i]);
      }
    }
  }

  private int combined(int a, int b) {
    return switch (kind) {
      case ADD -> a + b;
      case MULTIPLY -> a * b;
      case MAXIMUM -> Math.max(a ^ flip, b ^ flip) ^ flip;
      case MINIMUM -> Math.min(a ^ flip, b ^ flip) ^ flip;
      case AND -> a & b;
      case OR -> a | b;
      case XOR -> a ^ b;
      case Elementwise.Kind other -> throw new AssertionError(other);
    };
  }
}
