package org.hlo4j.interpreter.compiled.moves;

/** Loops that apply a computation to elements. Public because generated classes implement it. */
public interface Folding {
  /**
   * {@code to[t + i] = body(... body(to[t + i], from[lines[0] + i]) ..., from[lines[count - 1] +
   * i])} for i below length; of as many arrays each as the computation has results.
   */
  void fold(Object[] to, int t, Object[] from, int[] lines, int count, int length);
}
