package org.hlo4j.interpreter.compiled.arrays;

/** A computation that is run again and again on the same arrays, by one thread at a time. */
public interface Routine {
  /** Computes the results from what is in the arrays now. */
  void run();
}
