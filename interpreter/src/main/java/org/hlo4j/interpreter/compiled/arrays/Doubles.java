package org.hlo4j.interpreter.compiled.arrays;

import org.hlo4j.hlo.ElementType;

/** Access to floats of any type as doubles, which are rounded to the type when they are stored. */
public final class Doubles {
  private Doubles() {}

  /** Copies {@code to[t + i] = from[f + i * step]} for i below count. */
  public static void read(
      ElementType type, Object from, int f, int step, double[] to, int t, int count) {
    switch (from) {
      case float[] floats -> {
        for (int i = 0; i < count; i++) {
          to[t + i] = floats[f + i * step];
        }
      }
      case double[] doubles -> {
        for (int i = 0; i < count; i++) {
          to[t + i] = doubles[f + i * step];
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          to[t + i] = read(type, from, f + i * step);
        }
      }
    }
  }

  /** Copies {@code to[t + i * step] = from[f + i]}, rounded, for i below count. */
  public static void write(
      ElementType type, double[] from, int f, Object to, int t, int step, int count) {
    switch (to) {
      case float[] floats -> {
        for (int i = 0; i < count; i++) {
          floats[t + i * step] = (float) from[f + i];
        }
      }
      case double[] doubles -> {
        for (int i = 0; i < count; i++) {
          doubles[t + i * step] = from[f + i];
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          write(type, to, t + i * step, from[f + i]);
        }
      }
    }
  }

  /** Copies {@code to[t + i] = from[f + i]}, rounded, for i below count. */
  public static void write(ElementType type, double[] from, int f, Object to, int t, int count) {
    switch (to) {
      case float[] floats -> {
        for (int i = 0; i < count; i++) {
          floats[t + i] = (float) from[f + i];
        }
      }
      case double[] doubles -> System.arraycopy(from, f, doubles, t, count);
      default -> write(type, from, f, to, t, 1, count);
    }
  }

  /** {@return an element} */
  public static double read(ElementType type, Object from, int at) {
    return Double.longBitsToDouble(ElementBits.read(type, from, at));
  }

  /** Stores a number as an element, rounded to the type. */
  public static void write(ElementType type, Object to, int at, double value) {
    ElementBits.write(type, to, at, Double.doubleToRawLongBits(value));
  }
}
