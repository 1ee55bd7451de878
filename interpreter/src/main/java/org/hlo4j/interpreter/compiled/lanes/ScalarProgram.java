package org.hlo4j.interpreter.compiled.lanes;

import org.hlo4j.interpreter.kernel.KernelContext;

/** What generated code of {@link ScalarPrograms} implements. */
public interface ScalarProgram {
  /**
   * Computes all results.
   *
   * @param operands arrays of one element each: the scalars of all operands, from left to right
   * @param results arrays for the scalars of the result
   * @param context what stops loops that take too long
   */
  void run(Object[] operands, Object[] results, KernelContext context);
}
