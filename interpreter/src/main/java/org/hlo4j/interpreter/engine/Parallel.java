package org.hlo4j.interpreter.engine;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The runner of some work of a kernel for a range of indices, in chunks: on all threads, or in
 * order on the calling one. Before each chunk the limits of the run are checked.
 */
public final class Parallel {
  private final KernelContext context;
  private final boolean isParallel;
  private final int count;
  private final int grain;
  private final long bytes;
  private final @Nullable Supplier<String> purpose;

  /** Work on a range of indices, which may be split anywhere. */
  @FunctionalInterface
  public interface Range {
    /**
     * Does a part of the work.
     *
     * @param first the first index
     * @param end the index after the last one
     */
    void run(int first, int end);
  }

  private Parallel(
      KernelContext context,
      boolean isParallel,
      int count,
      int grain,
      long bytes,
      @Nullable Supplier<String> purpose) {
    this.context = context;
    this.isParallel = isParallel;
    this.count = count;
    this.grain = grain;
    this.bytes = bytes;
    this.purpose = purpose;
  }

  /**
   * Creates the runner of work for the indices from 0 to {@code count}.
   *
   * @param context the context of the kernel
   * @param isParallel whether the work is enough to share
   * @param count the number of indices
   * @param grain the number of indices in a chunk; the last one may have fewer
   */
  public Parallel(KernelContext context, boolean isParallel, int count, int grain) {
    this(context, isParallel, count, grain, 0, null);
  }

  /**
   * Creates the runner of work for the indices from 0 to {@code count}, on all threads.
   *
   * @param context the context of the kernel
   * @param count the number of indices
   * @param grain the number of indices in a chunk; the last one may have fewer
   */
  public Parallel(KernelContext context, int count, int grain) {
    this(context, true, count, grain);
  }

  /**
   * Creates the runner of chunks of some work.
   *
   * @param context the context of the kernel
   * @param isParallel whether the work is enough to share
   * @param chunks the number of chunks
   */
  public Parallel(KernelContext context, boolean isParallel, int chunks) {
    this(context, isParallel, chunks, 1);
  }

  /**
   * Creates the runner of chunks of some work, on all threads.
   *
   * @param context the context of the kernel
   * @param chunks the number of chunks
   */
  public Parallel(KernelContext context, int chunks) {
    this(context, true, chunks);
  }

  /**
   * Returns the same runner, except that memory is {@linkplain KernelContext#reserve counted} while
   * the work is done: as many bytes for each chunk that threads may do at one time.
   *
   * @param bytesOfChunk the number of bytes for a chunk
   * @param what says what they are for
   */
  public Parallel reserving(long bytesOfChunk, Supplier<String> what) {
    long atOnce = Math.min(chunks(), context.workers().count());
    return new Parallel(context, isParallel, count, grain, bytesOfChunk * atOnce, what);
  }

  /**
   * Does the work.
   *
   * @param work the work for the indices of a chunk
   */
  public void run(Range work) {
    forEach(chunk -> {
      int first = chunk * grain;
      work.run(first, first + Math.min(grain, count - first));
    });
  }

  /**
   * Does the work.
   *
   * @param job the work for the chunk with a number
   */
  public void forEach(Workers.Job job) {
    if (purpose == null) {
      runChunks(job);
    } else {
      context.reserving(bytes, purpose, () -> runChunks(job));
    }
  }

  private void runChunks(Workers.Job job) {
    if (isParallel) {
      context.workers().run(chunks(), job);
    } else {
      Workers.inOrder(chunks(), job);
    }
  }

  private int chunks() {
    return Math.ceilDiv(count, grain);
  }
}
