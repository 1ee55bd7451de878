package org.hlo4j.interpreter.compiled.moves;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Elementwise;

/** Combines elements of 16 bits and fewer: widens them, and wraps or rounds each result. */
final class NarrowCombine extends Combine {
  private final Elementwise.Kind kind;
  private final ElementType type;

  NarrowCombine(Elementwise.Kind kind, ElementType type) {
    this.kind = kind;
    this.type = type;
  }

  @Override
  void run(Object to, int t, Object from, int f, int count) {
    for (int i = 0; i < count; i++) {
      combine(to, t + i, from, f + i);
    }
  }

  @Override
  void points(Object to, int[] at, Object from, int f, int count) {
    for (int i = 0; i < count; i++) {
      if (at[i] >= 0) {
        combine(to, at[i], from, f + i);
      }
    }
  }

  @Override
  void strided(Object to, int t, int toStep, Object from, int f, int fromStep, int count) {
    for (int i = 0; i < count; i++) {
      combine(to, t + i * toStep, from, f + i * fromStep);
    }
  }

  private void combine(Object to, int t, Object from, int f) {
    if (to instanceof short[] shorts) {
      shorts[t] = (short) combined(shorts[t] & 0xffff, ((short[]) from)[f] & 0xffff);
    } else {
      byte[] bytes = (byte[]) to;
      bytes[t] = (byte) combined(bytes[t] & 0xff, ((byte[]) from)[f] & 0xff);
    }
  }

  private long combined(long a, long b) {
    return type.isFloating()
        ? type.encode(combined(type.decode(a), type.decode(b)))
        : type.wrap(whole(type.wrap(a), type.wrap(b)));
  }

  private double combined(double a, double b) {
    return switch (kind) {
      case ADD -> a + b;
      case MULTIPLY -> a * b;
      case MAXIMUM -> Math.max(a, b);
      case MINIMUM -> Math.min(a, b);
      case Elementwise.Kind other -> throw new AssertionError(other);
    };
  }

  /** Of wrapped numbers: the order of narrow unsigned ones is that of long. */
  private long whole(long a, long b) {
    return switch (kind) {
      case ADD -> type == ElementType.PRED ? a | b : a + b;
      case MULTIPLY, AND -> kind == Elementwise.Kind.AND ? a & b : a * b;
      case MAXIMUM -> Math.max(a, b);
      case MINIMUM -> Math.min(a, b);
      case OR -> a | b;
      case XOR -> a ^ b;
      case Elementwise.Kind other -> throw new AssertionError(other);
    };
  }
}
