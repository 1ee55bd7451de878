package org.hlo4j.interpreter.compiled.fission;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.StripArrays;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;

/**
 * Loop fission of scalar loops: a loop is split into several loops over strips. C2 vectorizes only
 * short loops, and none in which the bits of floats are taken as integers or methods are called.
 * Operations that C2 can vectorize are therefore separated from those that it cannot, and bits are
 * copied from array to array.
 */
public final class LoopFission {
  /** The minimum number of elements for which fission pays. */
  public static final int MIN = 64;

  /**
   * The number of elements of a strip. Strips are shorter than the arrays, so that all arrays of
   * several loops stay in the L1 cache.
   */
  static final int STRIP = StripArrays.STRIP / 2;

  private static final StripArrays ARRAYS = new StripArrays();

  private LoopFission() {}

  /** Returns the array with a number, of a type, in which generated code hands over values. */
  public static Object array(ElementType type, int number) {
    return ARRAYS.array(type, number);
  }

  /** Returns the memory segment of the array with a number, of a type. */
  public static MemorySegment bits(ElementType type, int number) {
    return ARRAYS.bits(type, number);
  }

  /** Copies bits from the start of one array to the start of another. */
  public static void copy(MemorySegment from, MemorySegment to, int bytes) {
    MemorySegment.copy(from, 0, to, 0, bytes);
  }

  /**
   * Returns an object of a new class, like {@link HiddenClasses#instance}, but with the loops of
   * its method split.
   *
   * @param writing writes the method; its loops by {@link CodeEmitter#loop}
   * @throws TooLargeException if a method is longer than {@link HiddenClasses#LIMIT}
   * @throws NoCodeException also if there is no such loop, or one of them cannot be split or does
   *     not gain from it
   */
  public static <T> T instance(Class<T> type, String name, Consumer<CodeEmitter> writing) {
    List<StripWriter> writers = new ArrayList<>();
    return HiddenClasses.instance(
        type,
        name,
        (self, code) -> {
          writers.clear();
          GraphEmitter.write(code, self, writing, writers);
        },
        builder -> writers.forEach(writer -> writer.writeParts(builder)));
  }
}
