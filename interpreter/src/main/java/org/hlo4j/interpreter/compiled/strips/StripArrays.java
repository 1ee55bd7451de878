package org.hlo4j.interpreter.compiled.strips;

import java.lang.classfile.TypeKind;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** What generated code has between its loops: arrays of the thread, of a strip each. */
public final class StripArrays {
  /** How many elements a strip has: its arrays stay in the first cache. */
  public static final int STRIP = 512;

  private record Block(Object array, MemorySegment bits) {}

  private static final ThreadLocal<List<List<Block>>> OWN =
      ThreadLocal.withInitial(() ->
          List.of(
              new ArrayList<>(),
              new ArrayList<>(),
              new ArrayList<>(),
              new ArrayList<>(),
              new ArrayList<>(),
              new ArrayList<>()));

  private StripArrays() {}

  /** The types of arrays, by what they are called with. */
  private static final List<TypeKind> KINDS =
      List.of(
          TypeKind.BYTE,
          TypeKind.SHORT,
          TypeKind.INT,
          TypeKind.LONG,
          TypeKind.FLOAT,
          TypeKind.DOUBLE);

  /** The number of a type. */
  static int number(TypeKind kind) {
    int number = KINDS.indexOf(kind);
    if (number < 0) {
      throw new Unfit();
    }
    return number;
  }

  private static Block block(int type, int number) {
    List<Block> blocks = OWN.get().get(type);
    while (blocks.size() <= number) {
      blocks.add(newBlock(type));
    }
    return blocks.get(number);
  }

  private static Block newBlock(int type) {
    return switch (KINDS.get(type)) {
      case BYTE -> block(new byte[STRIP]);
      case SHORT -> block(new short[STRIP]);
      case INT -> block(new int[STRIP]);
      case LONG -> block(new long[STRIP]);
      case FLOAT -> block(new float[STRIP]);
      default -> block(new double[STRIP]);
    };
  }

  private static Block block(byte[] array) {
    return new Block(array, MemorySegment.ofArray(array));
  }

  private static Block block(short[] array) {
    return new Block(array, MemorySegment.ofArray(array));
  }

  private static Block block(int[] array) {
    return new Block(array, MemorySegment.ofArray(array));
  }

  private static Block block(long[] array) {
    return new Block(array, MemorySegment.ofArray(array));
  }

  private static Block block(float[] array) {
    return new Block(array, MemorySegment.ofArray(array));
  }

  private static Block block(double[] array) {
    return new Block(array, MemorySegment.ofArray(array));
  }

  /** An array of a type by its number. */
  public static Object array(int type, int number) {
    return block(type, number).array;
  }

  /** The bits of an array of a type by its number. */
  public static MemorySegment bits(int type, int number) {
    return block(type, number).bits;
  }

  /** Copies bits from array to array. */
  public static void copy(MemorySegment from, MemorySegment to, int bytes) {
    MemorySegment.copy(from, 0, to, 0, bytes);
  }
}
