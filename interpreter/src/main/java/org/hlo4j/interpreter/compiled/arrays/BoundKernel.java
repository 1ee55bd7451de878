package org.hlo4j.interpreter.compiled.arrays;

/** A kernel bound to its arrays once, which runs many times, on one thread at a time. */
public interface BoundKernel {
  /** Computes the results from the current contents of the arrays. */
  void run();
}
