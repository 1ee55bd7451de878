package org.hlo4j.interpreter.compiled.linalg;

import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/** A batch of matrices of one size, shared by threads. */
final class MatrixBatch {
  /**
   * The minimum number of elements of the matrices that a thread gets at once. Fewer are not worth
   * its while.
   */
  private static final int MIN_ELEMENTS_PER_TASK = 512;

  private MatrixBatch() {}

  /**
   * Runs the work for {@code matrices} matrices of {@code elements} elements each, several at a
   * time if they are small: these may share storage.
   */
  static void run(KernelContext context, int matrices, int elements, Parallel.Range work) {
    int each = Math.ceilDiv(MIN_ELEMENTS_PER_TASK, Math.max(1, elements));
    Parallel.forRange(context, matrices, each, work);
  }
}
