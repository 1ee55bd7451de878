package org.hlo4j.interpreter.compiled.whileloop;

import org.hlo4j.interpreter.engine.KernelContext;

/** What generated code of {@link LoopIterationCode} implements. */
public interface LoopIteration {
  /**
   * Does an iteration of a loop, unless it is over.
   *
   * @param arrays the arrays of the state, from left to right, then constants and workspace arrays
   * @param context what stops loops that take too long
   * @return whether there was an iteration to do
   */
  boolean run(Object[] arrays, KernelContext context);
}
