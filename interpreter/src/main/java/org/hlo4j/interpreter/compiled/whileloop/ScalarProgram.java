package org.hlo4j.interpreter.compiled.whileloop;

import org.hlo4j.interpreter.engine.KernelContext;

/** The interface of the classes that {@link ProgramCode} generates. */
public interface ScalarProgram {
  /**
   * Computes all results.
   *
   * @param arrays the arrays of all operands, from left to right, then those of constants
   * @param results the arrays of the result, from left to right; the program sets those that are
   *     null
   * @param context stops loops that take too long
   */
  void run(Object[] arrays, Object[] results, KernelContext context);
}
