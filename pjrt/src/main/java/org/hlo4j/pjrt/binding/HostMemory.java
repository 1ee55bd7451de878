package org.hlo4j.pjrt.binding;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * Memory of the host for transfers, outside of the heap and aligned. It is kept for the next one of
 * about the same size: fresh memory costs a page fault for each 4 KB, more than the copy itself.
 */
public final class HostMemory {
  /** What XLA was built to expect of an array that it uses without a copy: up to 64 bytes. */
  public static final long ALIGNMENT = 64;

  /** How much is kept. */
  private static final long MAX_KEPT = 1L << 30;

  /** One for each power of two. */
  private final List<Deque<MemorySegment>> free =
      Stream.<Deque<MemorySegment>>generate(ConcurrentLinkedDeque::new).limit(Long.SIZE).toList();

  private final AtomicLong kept = new AtomicLong();

  /** {@return memory of at least a size; its own size is a power of two} */
  public MemorySegment take(long size) {
    int power = Long.SIZE - Long.numberOfLeadingZeros(Math.max(ALIGNMENT, size) - 1);
    MemorySegment found = free.get(power).pollLast();
    if (found != null) {
      kept.addAndGet(-found.byteSize());
      return found;
    }
    return Arena.ofAuto().allocate(1L << power, ALIGNMENT);
  }

  /** Takes memory back, which nobody uses any more. */
  public void give(MemorySegment memory) {
    if (kept.addAndGet(memory.byteSize()) <= MAX_KEPT) {
      free.get(Long.numberOfTrailingZeros(memory.byteSize())).addLast(memory);
    } else {
      kept.addAndGet(-memory.byteSize());
    }
  }
}
