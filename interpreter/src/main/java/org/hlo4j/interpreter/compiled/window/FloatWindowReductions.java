package org.hlo4j.interpreter.compiled.window;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.arrays.Carrier;
import org.hlo4j.interpreter.compiled.arrays.Doubles;
import org.hlo4j.interpreter.compiled.expr.ReductionOp;

/**
 * Sums, the greatest and the least of floats of any type, kept in double and rounded when they are
 * complete. C2 makes vectors of these loops because arrays of floats and of doubles are never the
 * same; of two arrays of one type, at different offsets, it does not know that.
 */
final class FloatWindowReductions {
  private final ReductionOp op;
  private final ElementType type;

  FloatWindowReductions(Elementwise.Kind kind, ElementType type) {
    this.op = ReductionOp.of(kind).orElseThrow();
    this.type = type;
  }

  /** Whether reducing in double and rounding once is what the reference does, or as good. */
  static boolean takes(Elementwise.Kind kind, ElementType type) {
    boolean exact = kind == Elementwise.Kind.MAXIMUM || kind == Elementwise.Kind.MINIMUM;
    return type.isFloating() && (exact || kind == Elementwise.Kind.ADD);
  }

  /** Reduces elements under one element of a window into those of a row, from a position on. */
  void reduce(double[] row, WindowPositions.Span span, Object from, int f) {
    boolean dense = span.step() == 1 && span.fromStep() == 1;
    if (dense && from instanceof float[] floats) {
      dense(row, span.first(), floats, f, span.count());
      return;
    }
    for (int i = 0; i < span.count(); i++) {
      int place = span.first() + i * span.step();
      int at = f + i * span.fromStep();
      double next =
          switch (from) {
            case float[] floats -> floats[at];
            case double[] doubles -> doubles[at];
            default -> Double.longBitsToDouble(Carrier.read(type, from, at));
          };
      row[place] = reduced(row[place], next);
    }
  }

  private void dense(double[] row, int first, float[] from, int f, int count) {
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

  private double reduced(double so, double next) {
    return switch (op) {
      case ADD -> so + next;
      case MAXIMUM -> Math.max(so, next);
      case MINIMUM -> Math.min(so, next);
      case AND, MULTIPLY, OR, XOR -> throw new AssertionError(op);
    };
  }

  /** {@code to[t + i] = row[i]}, rounded, for i below count. */
  void store(double[] row, Object to, int t, int count) {
    Doubles.write(type, row, 0, to, t, count);
  }
}
