package org.hlo4j.interpreter.engine;

import java.util.Arrays;
import org.hlo4j.hlo.ownership.HandedOut;

/**
 * The assertion mode, {@code -Dhlo4j.check=true}, in which our tests run. A mistake of a kernel
 * that is otherwise made good, by a slower form of it, or that happens to do no harm is an {@link
 * AssertionError}: a class that Java rejects, storage that is not allocated as the plan says
 * ({@link StepCheck}), a call by a worker. Storage is filled with garbage when it is handed out and
 * when it is dead.
 */
public final class CheckMode {
  private static final boolean ON = Boolean.getBoolean("hlo4j.check");

  /** Bits that are a NaN of each floating-point type, and no value of pred. */
  private static final long GARBAGE = 0x7fff_a5a5_7fff_a5a5L;

  private CheckMode() {}

  /** {@return whether the mode is on} */
  public static boolean isOn() {
    return ON;
  }

  /** Fills storage whose elements nobody may read, so that a value that depends on them is seen. */
  static void poison(Object storage) {
    if (HandedOut.contains(storage)) {
      throw new AssertionError("an array is dead to its run that somebody was handed");
    }
    switch (storage) {
      case byte[] bytes -> Arrays.fill(bytes, (byte) GARBAGE);
      case short[] shorts -> Arrays.fill(shorts, (short) (GARBAGE >> Short.SIZE));
      case int[] ints -> Arrays.fill(ints, (int) GARBAGE);
      case long[] longs -> Arrays.fill(longs, GARBAGE);
      case float[] floats -> Arrays.fill(floats, Float.intBitsToFloat((int) GARBAGE));
      case double[] doubles -> Arrays.fill(doubles, Double.longBitsToDouble(GARBAGE));
      case Object other -> throw new AssertionError(other.getClass());
    }
  }
}
