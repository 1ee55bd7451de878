package org.hlo4j.interpreter.compiled.window;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.expr.ReductionOp;

/**
 * The sum, maximum or minimum of windows of f32, accumulated in double and rounded at the end. C2
 * vectorizes these loops because an array of floats and an array of doubles are never the same. It
 * does not vectorize loops over two arrays of one type at different offsets, which may be the same.
 */
final class FloatWindowReductions {
  private final ReductionOp op;

  FloatWindowReductions(Elementwise.Kind kind) {
    this.op = ReductionOp.of(kind).orElseThrow();
  }

  /**
   * {@return whether a reduction in double that is rounded once has the result of the reference, or
   * one that is as good}
   */
  static boolean isSupported(Elementwise.Kind kind, ElementType type) {
    boolean exact = kind == Elementwise.Kind.MAXIMUM || kind == Elementwise.Kind.MINIMUM;
    return type == ElementType.F32 && (exact || kind == Elementwise.Kind.ADD);
  }

  /**
   * Reduces the elements under one element of the window, which begin at index {@code f}, into the
   * accumulators of a row of window positions.
   */
  void reduce(double[] row, WindowPositions.Span span, float[] from, int f) {
    boolean dense = span.step() == 1 && span.fromStep() == 1;
    if (dense) {
      reduceDense(row, span.first(), from, f, span.count());
      return;
    }
    for (int i = 0; i < span.count(); i++) {
      int position = span.first() + i * span.step();
      row[position] = combine(row[position], from[f + i * span.fromStep()]);
    }
  }

  private void reduceDense(double[] row, int first, float[] from, int f, int count) {
    if (op == ReductionOp.ADD) {
      for (int i = 0; i < count; i++) {
        row[first + i] += from[f + i];
      }
    } else if (op == ReductionOp.MAXIMUM) {
      for (int i = 0; i < count; i++) {
        row[first + i] = Math.max(row[first + i], from[f + i]);
      }
    } else {
      for (int i = 0; i < count; i++) {
        row[first + i] = Math.min(row[first + i], from[f + i]);
      }
    }
  }

  private double combine(double accumulated, double next) {
    return switch (op) {
      case ADD -> accumulated + next;
      case MAXIMUM -> Math.max(accumulated, next);
      case MINIMUM -> Math.min(accumulated, next);
      case AND, MULTIPLY, OR, XOR -> throw new AssertionError(op);
    };
  }

  /** Stores the rounded accumulators: {@code to[t + i] = row[i]} for i below count. */
  void store(double[] row, float[] to, int t, int count) {
    for (int i = 0; i < count; i++) {
      to[t + i] = (float) row[i];
    }
  }
}
