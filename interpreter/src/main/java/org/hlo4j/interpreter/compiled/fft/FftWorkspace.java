package org.hlo4j.interpreter.compiled.fft;

import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;

/** The buffers of intermediate results of a thread. A few workspaces are kept and used again. */
final class FftWorkspace {
  /** The purposes of buffers. Buffers that are used at the same time have different purposes. */
  enum Use {
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
    TRANSFORMED
  }

  private static final int MAX_KEPT = 4;
  private static final long MAX_NUMBERS = 1 << 21;

  private static final Deque<FftWorkspace> KEPT = new ConcurrentLinkedDeque<>();
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final AlignedSlab slab = new AlignedSlab();
  private final Map<Use, FftGrid> parts = new EnumMap<>(Use.class);

  private FftWorkspace() {}

  static FftWorkspace borrow() {
    FftWorkspace kept = KEPT.pollFirst();
    if (kept == null) {
      return new FftWorkspace();
    }
    COUNT.decrementAndGet();
    return kept;
  }

  void giveBack() {
    if (COUNT.get() < MAX_KEPT && numbers() <= MAX_NUMBERS) {
      COUNT.incrementAndGet();
      KEPT.addFirst(this);
    }
  }

  private long numbers() {
    return parts.values().stream().mapToLong(FftGrid::shift).sum();
  }

  /**
   * Returns a buffer for {@code rows} rows of {@code columns} numbers. Its contents are undefined.
   */
  FftGrid grid(Use use, int rows, int columns) {
    FftGrid part = parts.get(use);
    if (part == null || part.shift() < rows * columns) {
      part = slab.part(rows * columns, columns);
      parts.put(use, part);
    }
    return part.withStride(columns);
  }
}
