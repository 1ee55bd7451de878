package org.hlo4j.interpreter.compiled.fission;

import com.google.common.collect.ImmutableList;
import java.lang.classfile.TypeKind;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Thread-local arrays of one strip each, in which generated code hands values from loop to loop.
 */
public final class StripArrays {
  /** The number of elements of a strip. Its arrays stay in the L1 cache. */
  public static final int STRIP = 512;

  /** The element types of the arrays. Generated code passes the index in this list. */
  private static final ImmutableList<TypeKind> KINDS =
      ImmutableList.of(
          TypeKind.BYTE,
          TypeKind.SHORT,
          TypeKind.INT,
          TypeKind.LONG,
          TypeKind.FLOAT,
          TypeKind.DOUBLE);

  /** The arrays as memory segments, by type and number. */
  private static final ThreadLocal<List<List<MemorySegment>>> OWN =
      ThreadLocal.withInitial(
          () -> Stream.generate(StripArrays::none).limit(KINDS.size()).toList());

  private StripArrays() {}

  private static List<MemorySegment> none() {
    return new ArrayList<>();
  }

  /** Returns whether there are arrays of a type. */
  static boolean holds(TypeKind kind) {
    return KINDS.contains(kind);
  }

  /** Returns the number of a type that has arrays. */
  static int number(TypeKind kind) {
    return KINDS.indexOf(kind);
  }

  private static MemorySegment newBits(TypeKind kind) {
    return switch (kind) {
      case BYTE -> MemorySegment.ofArray(new byte[STRIP]);
      case SHORT -> MemorySegment.ofArray(new short[STRIP]);
      case INT -> MemorySegment.ofArray(new int[STRIP]);
      case LONG -> MemorySegment.ofArray(new long[STRIP]);
      case FLOAT -> MemorySegment.ofArray(new float[STRIP]);
      case DOUBLE -> MemorySegment.ofArray(new double[STRIP]);
      case BOOLEAN, CHAR, REFERENCE, VOID -> throw new AssertionError(kind);
    };
  }

  /** Returns the array with a number, of a type. */
  public static Object array(int type, int number) {
    return bits(type, number).heapBase().orElseThrow();
  }

  /** Returns the memory segment of the array with a number, of a type. */
  public static MemorySegment bits(int type, int number) {
    List<MemorySegment> all = OWN.get().get(type);
    while (all.size() <= number) {
      all.add(newBits(KINDS.get(type)));
    }
    return all.get(number);
  }

  /** Copies bits from the start of one array to the start of another. */
  public static void copy(MemorySegment from, MemorySegment to, int bytes) {
    MemorySegment.copy(from, 0, to, 0, bytes);
  }
}
