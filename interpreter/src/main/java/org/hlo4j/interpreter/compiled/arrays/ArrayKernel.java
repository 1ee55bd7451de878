package org.hlo4j.interpreter.compiled.arrays;

import org.hlo4j.interpreter.engine.KernelContext;

/** A kernel that takes so little time that it runs on the calling thread, on given arrays. */
public interface ArrayKernel {
  /**
   * Binds the computation to arrays. No result is also an operand.
   *
   * @param operands the storage of the operands
   * @param results the storage of the results, all of whose elements are overwritten
   * @param context the context of the run
   * @return the routine that computes the results
   */
  BoundKernel bind(Object[] operands, Object[] results, KernelContext context);

  /** {@return whether the vector code is ready} If it is not, it is warmed up. */
  boolean isReady();

  /** Makes the vector code available before it returns, even if C2 has not compiled it yet. */
  void prepare();
}
