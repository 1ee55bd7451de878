package org.hlo4j.interpreter.compiled.arrays;

import org.hlo4j.hlo.ElementType;

/** Access to floats of any type as doubles, which are rounded to the type when they are stored. */
public final class Doubles {
  private Doubles() {}

  /** Copies {@code to[t + i] = from[f + i]} for i below count. */
  public static void read(ElementType type, Object from, int f, double[] to, int t, int count) {
    switch (from) {
      case float[] floats -> {
        for (int i = 0; i < count; i++) {
          to[t + i] = floats[f + i];
        }
      }
      case double[] doubles -> System.arraycopy(doubles, f, to, t, count);
      default -> {
        for (int i = 0; i < count; i++) {
          to[t + i] = read(type, from, f + i);
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
      default -> {
        for (int i = 0; i < count; i++) {
          write(type, to, t + i, from[f + i]);
        }
      }
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
