package org.hlo4j.interpreter.compiled.folds;

import java.util.Arrays;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/** Single elements of arrays as literals store them, read and written as their wide carriers. */
final class Cells {
  private Cells() {}

  /** An array for so many elements of a type. */
  static Object allocate(ElementType type, int count) {
    return switch (type.bits()) {
      case 64 -> type.isFloating() ? new double[count] : new long[count];
      case 32 -> type.isFloating() ? new float[count] : new int[count];
      case 16 -> new short[count];
      default -> new byte[count];
    };
  }

  /** Sets elements to a number. */
  static void fill(Object array, int from, int to, ElementType type, Number number) {
    switch (array) {
      case double[] cells -> Arrays.fill(cells, from, to, number.doubleValue());
      case float[] cells -> Arrays.fill(cells, from, to, number.floatValue());
      case long[] cells -> Arrays.fill(cells, from, to, number.longValue());
      case int[] cells -> Arrays.fill(cells, from, to, number.intValue());
      case short[] cells -> Arrays.fill(cells, from, to, (short) bits(type, number));
      case byte[] cells -> Arrays.fill(cells, from, to, (byte) bits(type, number));
      default -> throw new AssertionError(array);
    }
  }

  private static long bits(ElementType type, Number number) {
    return type.isFloating() ? type.encode(number.doubleValue()) : number.longValue();
  }

  /** An element of an integer or pred array of this storage, sign-extended. */
  static long longAt(Object array, int index) {
    return switch (array) {
      case long[] cells -> cells[index];
      case int[] cells -> cells[index];
      case short[] cells -> cells[index];
      case byte[] cells -> cells[index];
      default -> throw new AssertionError(array);
    };
  }

  /** An element of a float array. */
  static double doubleAt(Object array, int index, ElementType type) {
    return switch (array) {
      case double[] cells -> cells[index];
      case float[] cells -> cells[index];
      case short[] cells -> type.decode(cells[index] & 0xffff);
      case byte[] cells -> type.decode(cells[index] & 0xff);
      default -> throw new AssertionError(array);
    };
  }

  /** Elements of doubles, each rounded once to a type. */
  static void round(
      double[] from, int fromIndex, Object to, int toIndex, ElementType type, int count) {
    switch (to) {
      case double[] cells -> System.arraycopy(from, fromIndex, cells, toIndex, count);
      case float[] cells -> {
        for (int i = 0; i < count; i++) {
          cells[toIndex + i] = (float) from[fromIndex + i];
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          fill(to, toIndex + i, toIndex + i + 1, type, from[fromIndex + i]);
        }
      }
    }
  }

  /** The numbers from 0, as the reference has them: wrapped or rounded to the type. */
  static Literal iota(Shape.Array shape) {
    LiteralBuilder numbers = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      if (shape.elementType().isFloating()) {
        numbers.setDouble(i, i);
      } else {
        numbers.setLong(i, i);
      }
    }
    return numbers.build();
  }
}
