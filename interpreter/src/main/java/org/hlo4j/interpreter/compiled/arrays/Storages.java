package org.hlo4j.interpreter.compiled.arrays;

import java.lang.reflect.Array;
import java.util.Arrays;
import org.hlo4j.hlo.ElementType;

/** Primitive arrays as literals have them, and the bits in them. */
public final class Storages {
  /** Bytes of a line of the cache. */
  private static final int LINE = 64;

  private static final int VARIED = 101;
  private static final int VARIED_STEP = 37;
  private static final double VARIED_SCALE = 8;

  private Storages() {}

  /** {@return an array for so many elements of a type that is not complex} */
  public static Object allocate(ElementType type, int count) {
    return switch (type.bits()) {
      case 64 -> type.isFloating() ? new double[count] : new long[count];
      case 32 -> type.isFloating() ? new float[count] : new int[count];
      case 16 -> new short[count];
      default -> new byte[count];
    };
  }

  /** {@return such an array with numbers of both signs, of which none follows from the last} */
  public static Object varied(ElementType type, int count) {
    Object storage = allocate(type, count);
    for (int i = 0; i < count; i++) {
      int number = i * VARIED_STEP % VARIED - VARIED / 2;
      fill(storage, i, i + 1, type, type == ElementType.PRED ? i & 1 : number / VARIED_SCALE);
    }
    return storage;
  }

  /** {@return what such arrays are made of: a primitive type} */
  public static Class<?> component(ElementType type) {
    return allocate(type, 0).getClass().getComponentType();
  }

  /** Sets elements from one to before another to a number, wrapped or rounded to the type. */
  public static void fill(Object storage, int from, int to, ElementType type, Number number) {
    switch (storage) {
      case double[] cells -> Arrays.fill(cells, from, to, number.doubleValue());
      case float[] cells -> Arrays.fill(cells, from, to, number.floatValue());
      case long[] cells -> Arrays.fill(cells, from, to, number.longValue());
      case int[] cells -> Arrays.fill(cells, from, to, number.intValue());
      case short[] cells -> Arrays.fill(cells, from, to, (short) narrow(type, number));
      case byte[] cells -> Arrays.fill(cells, from, to, (byte) narrow(type, number));
      default -> throw unknown(storage);
    }
  }

  private static long narrow(ElementType type, Number number) {
    return type.isFloating() ? type.encode(number.doubleValue()) : type.wrap(number.longValue());
  }

  /**
   * {@return an element of an array of integers as a signed number; beyond all of those, where no
   * array reaches, the greatest}
   */
  public static long index(ElementType type, Object storage, int position) {
    long number = type.wrap(bits(storage, position));
    boolean beyond = number < 0 && type.kind() == ElementType.Kind.UNSIGNED;
    return beyond ? Long.MAX_VALUE : number;
  }

  /** Makes each NaN the one quiet NaN of the type; of integers nothing changes. */
  public static void quietNaNs(ElementType type, Object storage) {
    switch (storage) {
      case float[] cells -> {
        for (int i = 0; i < cells.length; i++) {
          cells[i] = Float.isNaN(cells[i]) ? Float.NaN : cells[i];
        }
      }
      case double[] cells -> {
        for (int i = 0; i < cells.length; i++) {
          cells[i] = Double.isNaN(cells[i]) ? Double.NaN : cells[i];
        }
      }
      case Object cells when type.isFloating() -> {
        for (int i = 0; i < Array.getLength(cells); i++) {
          if (Double.isNaN(type.decode(bits(cells, i) & (1L << type.bits()) - 1))) {
            setBits(cells, i, type.encode(Double.NaN));
          }
        }
      }
      case Object integers -> {}
    }
  }

  /** {@return the bits of a cell, sign-extended} */
  public static long bits(Object storage, int position) {
    return switch (storage) {
      case int[] cells -> cells[position];
      case long[] cells -> cells[position];
      case float[] cells -> Float.floatToRawIntBits(cells[position]);
      case double[] cells -> Double.doubleToRawLongBits(cells[position]);
      case short[] cells -> cells[position];
      case byte[] cells -> cells[position];
      default -> throw unknown(storage);
    };
  }

  /**
   * {@return the bits of at least one cell of each line of the cache, together} Memory delivers
   * what is read from beginning to end sooner than what is read here and there.
   *
   * @param from the first cell
   * @param to the cell after the last
   */
  public static long touch(Object storage, int from, int to) {
    long bits = 0;
    if (storage instanceof float[] cells) {
      for (int i = from; i < to; i += LINE / Float.BYTES) {
        bits |= Float.floatToRawIntBits(cells[i]);
      }
    } else {
      for (int i = from; i < to; i += LINE / Long.BYTES) {
        bits |= bits(storage, i);
      }
    }
    return bits;
  }

  /** Sets a cell to as many low bits as it has. */
  public static void setBits(Object storage, int position, long bits) {
    switch (storage) {
      case int[] cells -> cells[position] = (int) bits;
      case long[] cells -> cells[position] = bits;
      case float[] cells -> cells[position] = Float.intBitsToFloat((int) bits);
      case double[] cells -> cells[position] = Double.longBitsToDouble(bits);
      case short[] cells -> cells[position] = (short) bits;
      case byte[] cells -> cells[position] = (byte) bits;
      default -> throw unknown(storage);
    }
  }

  private static AssertionError unknown(Object storage) {
    return new AssertionError("no storage: " + storage.getClass());
  }
}
