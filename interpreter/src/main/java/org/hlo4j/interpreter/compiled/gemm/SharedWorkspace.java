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
  private static final int MAX_POOLED = 3;

  private static final ConcurrentMap<AccumulatorType, Deque<AlignedBuffer>> POOL =
      new ConcurrentHashMap<>();

  private SharedWorkspace() {}

  /**
   * {@return a buffer with room for {@code count} elements, whose contents are undefined} The
   * caller passes it to {@link #release} afterwards.
   */
  public static AlignedBuffer borrow(AccumulatorType accumulatorType, int count) {
    @Nullable AlignedBuffer kept = pool(accumulatorType).pollFirst();
    return kept != null && kept.hasCapacity(count)
        ? kept
        : AlignedBuffer.of(accumulatorType, count);
  }

  public static void release(AccumulatorType accumulatorType, AlignedBuffer buffer) {
    Deque<AlignedBuffer> kept = pool(accumulatorType);
    if (!buffer.hasCapacity(MAX_ELEMENTS) && kept.size() < MAX_POOLED) {
      kept.addFirst(buffer);
    }
  }

  private static Deque<AlignedBuffer> pool(AccumulatorType accumulatorType) {
    return POOL.computeIfAbsent(accumulatorType, any -> new ConcurrentLinkedDeque<>());
  }
}
