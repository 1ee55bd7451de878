package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Workers;

/** Runs the chunks of some work: in order on the calling thread, or on all threads. */
public final class ParallelChunks {
  private ParallelChunks() {}

  public static void run(
      KernelContext context, boolean isSingleThreaded, int chunks, Workers.Job job) {
    if (isSingleThreaded || chunks == 1) {
      for (int chunk = 0; chunk < chunks; chunk++) {
        context.checkLimits();
        job.run(chunk);
      }
    } else {
      context.workers().run(chunks, job);
    }
  }
}
