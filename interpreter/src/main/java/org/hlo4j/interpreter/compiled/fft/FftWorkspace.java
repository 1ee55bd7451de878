package org.hlo4j.interpreter.compiled.fft;

import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;

/** Places for what lies between steps, for one thread at a time; a few rooms are used again. */
final class FftWorkspace {
  /** What the places are for. What is used at the same time has different ones. */
  enum Use {
    /** What was read. */
    READ,
    /** What is to be written. */
    WRITTEN,
    /** What was mirrored. */
    MIRRORED,
    /** Every other step of a transform of columns. */
    STEP,
    /** The steps between these. */
    OTHER_STEP,
    /** Rows that are to be transposed. */
    ROWS,
    /** Rows that were transposed. */
    TRANSPOSED,
    /** What is convolved. */
    CONVOLVED,
    /** What its transform is. */
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

  /** A place for so many numbers in rows of so many, whatever is in it. */
  FftGrid grid(Use use, int rows, int columns) {
    FftGrid part = parts.get(use);
    if (part == null || part.shift() < rows * columns) {
      part = slab.part(rows * columns, columns);
      parts.put(use, part);
    }
    return part.withStride(columns);
  }
}
