package org.hlo4j.interpreter.compiled.loops;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Storages;

/**
 * Thread-local workspace arrays of one strip each. They are kept because new arrays would be zeroed
 * first.
 */
final class ThreadWorkspace {
  private static final ThreadLocal<Map<ElementType, List<Object>>> OWN =
      ThreadLocal.withInitial(() -> new EnumMap<>(ElementType.class));

  private ThreadWorkspace() {}

  /**
   * Puts workspace arrays at the end of an array of arrays.
   *
   * @param types the type of each workspace array
   */
  static void put(ElementType[] types, Object[] arrays) {
    Map<ElementType, List<Object>> own = OWN.get();
    Map<ElementType, Integer> taken = new EnumMap<>(ElementType.class);
    for (int i = 0; i < types.length; i++) {
      List<Object> all = own.computeIfAbsent(types[i], _ -> new ArrayList<>());
      int number = taken.merge(types[i], 1, Integer::sum) - 1;
      if (number == all.size()) {
        all.add(Storages.allocate(types[i], CompiledLoopNest.STRIP));
      }
      arrays[arrays.length - types.length + i] = all.get(number);
    }
  }
}
