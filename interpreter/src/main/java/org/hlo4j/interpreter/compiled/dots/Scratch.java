package org.hlo4j.interpreter.compiled.dots;

import java.util.Deque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** Areas that are used again: a few of each type are kept; very large ones only while in use. */
final class Scratch {
  private static final int MAX_ELEMENTS = 1 << 23;
  private static final int MAX_KEPT = 3;

  private static final ConcurrentMap<Carrier, Deque<Area>> KEPT = new ConcurrentHashMap<>();

  private Scratch() {}

  /** Room for so many elements, whatever is in them; give it back. */
  static Area borrow(Carrier carrier, int count) {
    @Nullable Area kept = kept(carrier).pollFirst();
    return kept != null && kept.holds(count) ? kept : Area.of(carrier, count);
  }

  static void giveBack(Carrier carrier, Area area) {
    Deque<Area> kept = kept(carrier);
    if (!area.holds(MAX_ELEMENTS) && kept.size() < MAX_KEPT) {
      kept.addFirst(area);
    }
  }

  private static Deque<Area> kept(Carrier carrier) {
    return KEPT.computeIfAbsent(carrier, any -> new ConcurrentLinkedDeque<>());
  }
}
