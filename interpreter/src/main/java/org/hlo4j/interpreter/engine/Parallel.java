package org.hlo4j.interpreter.engine;

/**
 * Runs the chunks of some work of a kernel: on all threads, or in order on the calling one. Before
 * each chunk the limits of the run are checked.
 */
public final class Parallel {
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

  private Parallel() {}

  /**
   * Does some work for the indices from 0 to {@code count}, on all threads.
   *
   * @param context the context of the kernel
   * @param count the number of indices
   * @param grain the number of indices in a chunk; the last one may have fewer
   * @param work the work
   */
  public static void forRange(KernelContext context, int count, int grain, Range work) {
    forRange(context, true, count, grain, work);
  }

  /**
   * Does some work for the indices from 0 to {@code count}.
   *
   * @param context the context of the kernel
   * @param isParallel whether the work is enough to share
   * @param count the number of indices
   * @param grain the number of indices in a chunk; the last one may have fewer
   * @param work the work
   */
  public static void forRange(
      KernelContext context, boolean isParallel, int count, int grain, Range work) {
    forChunks(
        context,
        isParallel,
        Math.ceilDiv(count, grain),
        chunk -> {
          int first = chunk * grain;
          work.run(first, first + Math.min(grain, count - first));
        });
  }

  /**
   * Does the chunks of some work, on all threads.
   *
   * @param context the context of the kernel
   * @param chunks the number of chunks
   * @param job the work for each chunk
   */
  public static void forChunks(KernelContext context, int chunks, Workers.Job job) {
    forChunks(context, true, chunks, job);
  }

  /**
   * Does the chunks of some work.
   *
   * @param context the context of the kernel
   * @param isParallel whether the work is enough to share
   * @param chunks the number of chunks
   * @param job the work for each chunk
   */
  public static void forChunks(
      KernelContext context, boolean isParallel, int chunks, Workers.Job job) {
    if (isParallel) {
      context.workers().run(chunks, job);
    } else {
      Workers.inOrder(chunks, job);
    }
  }
}
