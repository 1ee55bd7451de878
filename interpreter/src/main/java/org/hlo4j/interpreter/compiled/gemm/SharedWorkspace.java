package org.hlo4j.interpreter.compiled.gemm;

import java.util.Deque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
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
   * Does some work with a buffer that has room for {@code count} elements, whose contents are
   * undefined. The run counts it meanwhile.
   */
  static void use(
      KernelContext context, AccumulatorType type, int count, Consumer<AlignedBuffer> work) {
    long bytes = (long) count * type.bits() / Byte.SIZE;
    Deque<AlignedBuffer> pool = POOL.computeIfAbsent(type, any -> new ConcurrentLinkedDeque<>());
    context.reserving(
        bytes,
        () -> "the packed operands or sums of a product",
        () -> {
          @Nullable AlignedBuffer kept = pool.pollFirst();
          AlignedBuffer buffer =
              kept != null && kept.hasCapacity(count) ? kept : AlignedBuffer.of(type, count);
          work.accept(buffer);
          if (!buffer.hasCapacity(MAX_ELEMENTS) && pool.size() < MAX_POOLED) {
            pool.addFirst(buffer);
          }
        });
  }
}
