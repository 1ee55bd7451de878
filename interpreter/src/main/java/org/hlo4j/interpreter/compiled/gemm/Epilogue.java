package org.hlo4j.interpreter.compiled.gemm;

/** The epilogue of a product: processes parts of the result while they are still in the cache. */
@FunctionalInterface
public interface Epilogue {
  /** Does nothing. */
  Epilogue NONE = (firstRow, lastRow, from, to) -> {};

  /**
   * Processes a part of the result that is complete. The rows are numbered through all batches. The
   * ends of both ranges are exclusive.
   */
  void run(int firstRow, int lastRow, int from, int to);
}
