package org.hlo4j.interpreter.compiled.indexing;

/** A computation of pairs of elements. Public because generated classes implement it. */
public interface PairComputation {
  /** {@code body(arrays[0][left], arrays[0][right], arrays[1][left], ...)}, which is pred. */
  boolean test(Object[] arrays, int left, int right);
}
