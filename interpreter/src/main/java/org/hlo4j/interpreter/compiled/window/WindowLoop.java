package org.hlo4j.interpreter.compiled.window;

/** Loops that apply a computation to elements. Public because generated classes implement it. */
public interface WindowLoop {
  /**
   * {@code to[t + r * apart + i] = body(... body(init, from[lines[r * count] + i]) ...,
   * from[lines[r * count + count - 1] + i])} for i below length and r below rows; of as many arrays
   * each as the computation has results.
   */
  void reduce(
      Object[] inits,
      Object[] to,
      int t,
      int apart,
      Object[] from,
      int[] lines,
      int count,
      int length,
      int rows);
}
