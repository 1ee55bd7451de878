package org.hlo4j.interpreter.compiled.codegen;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Loads and stores of two or four narrow elements. The Vector API has no vectors of less than 64
 * bits, so the elements are packed in one integer, the first in its lowest bits.
 */
public final class NarrowVectors {
  private static final VarHandle FOUR = view(int[].class);
  private static final VarHandle TWO = view(short[].class);
  private static final int LOWER_HALF = 0xffff;

  private NarrowVectors() {}

  private static VarHandle view(Class<?> numbers) {
    return MethodHandles.byteArrayViewVarHandle(numbers, ByteOrder.LITTLE_ENDIAN);
  }

  /** Reads four bytes. */
  public static int load4(byte[] from, int at) {
    return (int) FOUR.get(from, at);
  }

  /** Reads two bytes. */
  public static int load2(byte[] from, int at) {
    return (short) TWO.get(from, at);
  }

  /** Reads two shorts. */
  public static int load2(short[] from, int at) {
    return (from[at] & LOWER_HALF) | from[at + 1] << Short.SIZE;
  }

  /** Writes four bytes. */
  public static void store4(int elements, byte[] to, int at) {
    FOUR.set(to, at, elements);
  }

  /** Writes two bytes. */
  public static void store2(int elements, byte[] to, int at) {
    TWO.set(to, at, (short) elements);
  }

  /** Writes two shorts. */
  public static void store2(int elements, short[] to, int at) {
    to[at] = (short) elements;
    to[at + 1] = (short) (elements >> Short.SIZE);
  }
}
