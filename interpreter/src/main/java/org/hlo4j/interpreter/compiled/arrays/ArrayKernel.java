package org.hlo4j.interpreter.compiled.arrays;

import org.hlo4j.interpreter.engine.KernelContext;

/** A computation on arrays that takes so little time that one thread does it at once. */
public interface ArrayKernel {
  /**
   * The same on some arrays, none of the results among the operands.
   *
   * @param operands the storage of the operands
   * @param results the storage of the results, all of whose elements are overwritten
   * @param context of the run
   * @return what computes the results
   */
  Routine on(Object[] operands, Object[] results, KernelContext context);

  /** {@return whether it works by vectors; if not, its code is warmed up} */
  boolean isReady();

  /** Makes it ready now, slow as it may still be. */
  void prepare();
}
