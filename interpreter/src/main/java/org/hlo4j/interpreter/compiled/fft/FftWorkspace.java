package org.hlo4j.interpreter.compiled.fft;

import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.hlo4j.interpreter.engine.Workers;

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

  private Workers workers;

  /** Work on a part of a range, with the workspace of the thread that does it. */
  interface Part {
    void run(FftWorkspace workspace, int first, int end);
  }

  private FftWorkspace(Workers workers) {
    this.workers = workers;
  }

  /** Returns a workspace for a thread, which may share its work with others. */
  static FftWorkspace borrow(Workers workers) {
    FftWorkspace kept = POOL.pollFirst();
    if (kept == null) {
      return new FftWorkspace(workers);
    }
    POOL_SIZE.decrementAndGet();
    kept.workers = workers;
    return kept;
  }

  /**
   * Does some work for the indices from 0 to {@code count}, {@code grain} at a time, by all threads
   * that are idle.
   */
  void share(int count, int grain, Part work) {
    if (count <= grain) {
      work.run(this, 0, count);
      return;
    }
    workers.run(
        Math.ceilDiv(count, grain),
        chunk -> {
          FftWorkspace own = borrow(workers);
          work.run(own, chunk * grain, Math.min(count, (chunk + 1) * grain));
          own.release();
        });
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
