package org.hlo4j.interpreter.compiled.whileloop;

import org.hlo4j.interpreter.engine.KernelContext;

/** What generated code of {@link ScalarPrograms} implements. */
public interface ScalarProgram {
  /**
   * Computes all results.
   *
   * @param arrays the arrays of all operands, from left to right, then those of constants
   * @param results the arrays of the result: there for a scalar, otherwise to be put there
   * @param context what stops loops that take too long
   */
  void run(Object[] arrays, Object[] results, KernelContext context);
}
