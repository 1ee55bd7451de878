package org.hlo4j.interpreter.compiled.arrays;

/** A computation that runs repeatedly on the same arrays, on one thread at a time. */
public interface BoundKernel {
  /** Computes the results from the current contents of the arrays. */
  void run();
}
