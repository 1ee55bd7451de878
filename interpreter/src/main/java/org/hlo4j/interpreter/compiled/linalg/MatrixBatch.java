package org.hlo4j.interpreter.compiled.linalg;

import org.hlo4j.interpreter.engine.KernelContext;

/** A batch of matrices of one size, shared by threads. */
final class MatrixBatch {
  /**
   * The minimum number of elements of the matrices that a thread gets at once. Fewer are not worth
   * its while.
   */
  private static final int MIN_ELEMENTS_PER_TASK = 512;

  /** The work on consecutive matrices, which may share storage. */
  @FunctionalInterface
  interface Work {
    void run(int first, int end);
  }

  private MatrixBatch() {}

  /**
   * Runs the work for {@code matrices} matrices of {@code elements} elements each, several at a
   * time if they are small.
   */
  static void run(KernelContext context, int matrices, int elements, Work work) {
    int each = Math.ceilDiv(MIN_ELEMENTS_PER_TASK, Math.max(1, elements));
    context
        .workers()
        .run(
            Math.ceilDiv(matrices, each),
            part -> work.run(part * each, Math.min(matrices, (part + 1) * each)));
  }
}
