package org.hlo4j.interpreter.compiled.dots;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Arrays that are used again: one of each type is kept, and a large one only while in use. */
final class Scratch {
  private static final int MOST_KEPT = 1 << 23;

  private static final ConcurrentMap<Carrier, AtomicReference<@Nullable Object>> KEPT =
      new ConcurrentHashMap<>();

  private Scratch() {}

  /** An array of at least so many elements, whatever is in them; give it back. */
  static Object borrow(Carrier carrier, int count) {
    Numbers numbers = Numbers.of(carrier);
    Object kept = kept(carrier).getAndSet(null);
    return kept != null && numbers.length(kept) >= count ? kept : numbers.allocate(count);
  }

  static void giveBack(Carrier carrier, Object array) {
    if (Numbers.of(carrier).length(array) <= MOST_KEPT) {
      kept(carrier).set(array);
    }
  }

  private static AtomicReference<@Nullable Object> kept(Carrier carrier) {
    return KEPT.computeIfAbsent(carrier, any -> new AtomicReference<>());
  }
}
