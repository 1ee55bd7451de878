package org.hlo4j.interpreter.compiled.lanes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Bytes for vectors of four lanes or two, which the Vector API has no vectors of bytes for: as one
 * integer, the first in its lowest bits.
 */
public final class FewBytes {
  private static final VarHandle FOUR = view(int[].class);
  private static final VarHandle TWO = view(short[].class);

  private FewBytes() {}

  private static VarHandle view(Class<?> numbers) {
    return MethodHandles.byteArrayViewVarHandle(numbers, ByteOrder.LITTLE_ENDIAN);
  }

  /** Reads four. */
  public static int load4(byte[] from, int at) {
    return (int) FOUR.get(from, at);
  }

  /** Reads two. */
  public static int load2(byte[] from, int at) {
    return (short) TWO.get(from, at);
  }

  /** Writes four. */
  public static void store4(int bytes, byte[] to, int at) {
    FOUR.set(to, at, bytes);
  }

  /** Writes two. */
  public static void store2(int bytes, byte[] to, int at) {
    TWO.set(to, at, (short) bytes);
  }
}
