package org.hlo4j.interpreter.compiled.indexing;

/** A comparison of two elements. Public because generated classes implement it. */
public interface PairComputation {
  /**
   * Returns {@code body(arrays[0][left], arrays[0][right], arrays[1][left], ...)}, which is a pred.
   */
  boolean test(Object[] arrays, int left, int right);
}
