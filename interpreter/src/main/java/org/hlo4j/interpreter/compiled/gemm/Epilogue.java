package org.hlo4j.interpreter.compiled.gemm;

/** What is done with parts of the result as they become ready, while they are in the cache. */
@FunctionalInterface
public interface Epilogue {
  /** Nothing. */
  Epilogue NONE = (firstRow, lastRow, from, to) -> {};

  /** Some columns of some rows are ready; the rows of all batches are numbered on and on. */
  void run(int firstRow, int lastRow, int from, int to);
}
