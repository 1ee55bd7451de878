package org.hlo4j.interpreter.compiled.linalg;

import org.hlo4j.interpreter.engine.KernelContext;

/** Many matrices of a size, shared by threads. */
final class MatrixBatch {
  /** Matrices with fewer elements in all are not worth a thread's while. */
  private static final int ENOUGH = 512;

  /** What is done for matrices that follow each other, so that they may share storage. */
  @FunctionalInterface
  interface Work {
    void run(int first, int end);
  }

  private MatrixBatch() {}

  /** Does the work for so many matrices of so many elements each, some at a time. */
  static void run(KernelContext context, int matrices, int elements, Work work) {
    int each = Math.ceilDiv(ENOUGH, Math.max(1, elements));
    context
        .workers()
        .run(
            Math.ceilDiv(matrices, each),
            part -> work.run(part * each, Math.min(matrices, (part + 1) * each)));
  }
}
