package org.hlo4j.interpreter.compiled.arrays;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;

/**
 * Thread-local arrays of one strip each, in which loops hand values to later loops. They are kept
 * because new arrays would be zeroed first.
 */
public final class StripArrays {
  /** The number of elements of a strip. Its arrays stay in the L1 cache. */
  public static final int STRIP = 1024;

  /**
   * One of the arrays.
   *
   * @param number the number of the array among those of its type
   */
  public record StripArray(ElementType type, int number) {}

  private final ThreadLocal<Map<ElementType, List<MemorySegment>>> own =
      ThreadLocal.withInitial(() -> new EnumMap<>(ElementType.class));

  /** Returns the array with a number, of a type. */
  public Object array(ElementType type, int number) {
    return bits(type, number).heapBase().orElseThrow();
  }

  /** Returns the memory segment of the array with a number, of a type. */
  public MemorySegment bits(ElementType type, int number) {
    List<MemorySegment> all = own.get().computeIfAbsent(type, _ -> new ArrayList<>());
    while (all.size() <= number) {
      all.add(Storages.bytes(Storages.allocate(type, STRIP)));
    }
    return all.get(number);
  }

  /** An assignment of arrays to values. An array is reused when its value is dead. */
  public static final class Assignment {
    private final Map<StripArray, Integer> ends = new HashMap<>();

    /**
     * Returns the array for a value, the first that is free.
     *
     * @param loop the number of the loop that stores the value, which does not decrease from call
     *     to call
     * @param end the number of the first loop that may store another value
     */
    public StripArray assign(ElementType type, int loop, int end) {
      StripArray free =
          IntStream.iterate(0, number -> number + 1)
              .mapToObj(number -> new StripArray(type, number))
              .filter(array -> ends.getOrDefault(array, loop) <= loop)
              .findFirst()
              .orElseThrow();
      ends.put(free, end);
      return free;
    }
  }
}
