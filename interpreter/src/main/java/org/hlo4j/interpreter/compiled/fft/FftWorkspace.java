package org.hlo4j.interpreter.compiled.fft;

import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;

/** The buffers of intermediate results of a thread. A few workspaces are kept and used again. */
final class FftWorkspace {
  /** The purposes of buffers. Buffers that are used at the same time have different purposes. */
  enum Purpose {
    /** The numbers that were read. */
    READ,
    /** The numbers that are to be written. */
    WRITTEN,
    /** The numbers that were mirrored. */
    MIRRORED,
    /** The results of every other step of a transform of columns. */
    STEP,
    /** The results of the steps between these. */
    OTHER_STEP,
    /** The first matrix of a transform that transposes. */
    ROWS,
    /** The second matrix of a transform that transposes. */
    TRANSPOSED,
    /** The input of the transforms of a convolution. */
    CONVOLVED,
    /** The output of the transforms of a convolution. */
    TRANSFORMED,
    /** The columns that were transposed, to be transformed as lines. */
    LINES,
    /** The transforms of these lines. */
    TRANSFORMED_LINES
  }

  private static final int MAX_POOL_SIZE = 4;
  private static final long MAX_NUMBERS = 1 << 21;

  private static final Deque<FftWorkspace> POOL = new ConcurrentLinkedDeque<>();
  private static final AtomicInteger POOL_SIZE = new AtomicInteger();

  private final AlignedSlab slab = new AlignedSlab();
  private final Map<Purpose, FftGrid> parts = new EnumMap<>(Purpose.class);

  private FftWorkspace() {}

  static FftWorkspace borrow() {
    FftWorkspace kept = POOL.pollFirst();
    if (kept == null) {
      return new FftWorkspace();
    }
    POOL_SIZE.decrementAndGet();
    return kept;
  }

  void release() {
    if (POOL_SIZE.get() < MAX_POOL_SIZE && numbers() <= MAX_NUMBERS) {
      POOL_SIZE.incrementAndGet();
      POOL.addFirst(this);
    }
  }

  private long numbers() {
    return parts.values().stream().mapToLong(FftGrid::shift).sum();
  }

  /**
   * Returns a buffer for {@code rows} rows of {@code columns} numbers. Its contents are undefined.
   */
  FftGrid grid(Purpose purpose, int rows, int columns) {
    FftGrid part = parts.get(purpose);
    int numbers = Math.multiplyExact(rows, columns);
    if (part == null || part.shift() < numbers) {
      part = slab.part(numbers, columns);
      parts.put(purpose, part);
    }
    return part.withStride(columns);
  }
}
