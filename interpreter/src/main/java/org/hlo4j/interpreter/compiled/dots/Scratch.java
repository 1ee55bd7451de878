package org.hlo4j.interpreter.compiled.dots;

import java.util.Deque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** Arrays that are used again: a few of each type are kept; very large ones only while in use. */
final class Scratch {
  private static final int MOST_ELEMENTS = 1 << 23;
  private static final int MOST_KEPT = 3;

  private static final ConcurrentMap<Carrier, Deque<Object>> KEPT = new ConcurrentHashMap<>();

  private Scratch() {}

  /** An array of at least so many elements, whatever is in them; give it back. */
  static Object borrow(Carrier carrier, int count) {
    Numbers numbers = Numbers.of(carrier);
    @Nullable Object kept = kept(carrier).pollFirst();
    return kept != null && numbers.length(kept) >= count ? kept : numbers.allocate(count);
  }

  static void giveBack(Carrier carrier, Object array) {
    Deque<Object> kept = kept(carrier);
    if (Numbers.of(carrier).length(array) <= MOST_ELEMENTS && kept.size() < MOST_KEPT) {
      kept.addFirst(array);
    }
  }

  private static Deque<Object> kept(Carrier carrier) {
    return KEPT.computeIfAbsent(carrier, any -> new ConcurrentLinkedDeque<>());
  }
}
