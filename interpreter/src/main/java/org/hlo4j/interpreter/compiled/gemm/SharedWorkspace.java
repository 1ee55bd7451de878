package org.hlo4j.interpreter.compiled.gemm;

import java.util.Deque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * A pool of buffers that all threads share. It keeps a few of each type for reuse, but none that
 * are very large.
 */
public final class SharedWorkspace {
  private static final int MAX_ELEMENTS = 1 << 23;
  private static final int MAX_KEPT = 3;

  private static final ConcurrentMap<AccumulatorType, Deque<AlignedBuffer>> KEPT =
      new ConcurrentHashMap<>();

  private SharedWorkspace() {}

  /**
   * {@return a buffer with room for {@code count} elements, whose contents are undefined} The
   * caller passes it to {@link #giveBack} afterwards.
   */
  public static AlignedBuffer borrow(AccumulatorType carrier, int count) {
    @Nullable AlignedBuffer kept = kept(carrier).pollFirst();
    return kept != null && kept.holds(count) ? kept : AlignedBuffer.of(carrier, count);
  }

  public static void giveBack(AccumulatorType carrier, AlignedBuffer area) {
    Deque<AlignedBuffer> kept = kept(carrier);
    if (!area.holds(MAX_ELEMENTS) && kept.size() < MAX_KEPT) {
      kept.addFirst(area);
    }
  }

  private static Deque<AlignedBuffer> kept(AccumulatorType carrier) {
    return KEPT.computeIfAbsent(carrier, any -> new ConcurrentLinkedDeque<>());
  }
}
