package org.hlo4j.interpreter.compiled.window;

/** A generated loop that reduces windows. Public because generated classes implement it. */
public interface WindowLoop {
  /**
   * Computes {@code to[t + r * apart + i] = body(... body(init, from[lines[r * count] + i]) ...,
   * from[lines[r * count + count - 1] + i])} for i below length and r below rows. There are as many
   * arrays of each kind as the computation has results.
   */
  void reduce(
      Object[] inits,
      Object[] to,
      int t,
      int rowStride,
      Object[] from,
      int[] lines,
      int count,
      int length,
      int rows);
}
