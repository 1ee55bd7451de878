package org.hlo4j.interpreter.compiled.gemm;

import java.util.Deque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentMap;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A pool of buffers that all threads share. It keeps a few of each type for reuse, but none that
 * are very large.
 */
final class SharedWorkspace {
  private static final int MAX_ELEMENTS = 1 << 23;
  private static final int MAX_POOLED = 3;

  private static final ConcurrentMap<AccumulatorType, Deque<AlignedBuffer>> POOL =
      new ConcurrentHashMap<>();

  private SharedWorkspace() {}

  /**
   * {@return a buffer with room for {@code count} elements, whose contents are undefined} The run
   * counts it until the caller passes it to {@link #release}.
   */
  static AlignedBuffer borrow(KernelContext context, AccumulatorType accumulatorType, int count) {
    context.reserve(
        bytes(accumulatorType, count), () -> "the packed operands or sums of a product");
    @Nullable AlignedBuffer kept = pool(accumulatorType).pollFirst();
    return kept != null && kept.hasCapacity(count)
        ? kept
        : AlignedBuffer.of(accumulatorType, count);
  }

  private static long bytes(AccumulatorType type, int count) {
    return (long) count * type.bits() / Byte.SIZE;
  }

  /** Takes back a buffer for {@code count} elements. */
  static void release(
      KernelContext context, AccumulatorType accumulatorType, int count, AlignedBuffer buffer) {
    context.unreserve(bytes(accumulatorType, count));
    Deque<AlignedBuffer> kept = pool(accumulatorType);
    if (!buffer.hasCapacity(MAX_ELEMENTS) && kept.size() < MAX_POOLED) {
      kept.addFirst(buffer);
    }
  }

  private static Deque<AlignedBuffer> pool(AccumulatorType accumulatorType) {
    return POOL.computeIfAbsent(accumulatorType, any -> new ConcurrentLinkedDeque<>());
  }
}
