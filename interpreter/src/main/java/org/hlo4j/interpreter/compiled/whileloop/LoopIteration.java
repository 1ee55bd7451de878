package org.hlo4j.interpreter.compiled.whileloop;

import org.hlo4j.interpreter.engine.KernelContext;

/** The interface of the classes that {@link ProgramCode} generates: one iteration of a loop. */
public interface LoopIteration {
  /**
   * Runs an iteration of a loop, unless the loop is over.
   *
   * @param arrays the arrays of the state, from left to right, then constants, workspaces and the
   *     routines to call
   * @param context stops loops that take too long
   * @return whether there was an iteration to run
   */
  boolean run(Object[] arrays, KernelContext context);
}
