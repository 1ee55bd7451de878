package org.hlo4j.interpreter.compiled.loops;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Storages;

/**
 * Workspace arrays that a thread has of its own, of a strip each: new ones would be zeroed first.
 */
final class ThreadWorkspace {
  private static final ThreadLocal<Map<ElementType, List<Object>>> OWN =
      ThreadLocal.withInitial(() -> new EnumMap<>(ElementType.class));

  private ThreadWorkspace() {}

  /**
   * Fills the end of some arrays with workspace.
   *
   * @param types the type of each
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
