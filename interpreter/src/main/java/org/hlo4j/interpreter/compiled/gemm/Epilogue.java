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

  /** {@return this epilogue of a product for the one with rows and columns exchanged} */
  default Epilogue swapped(GemmProblem product) {
    return this == NONE
        ? NONE
        : (firstColumn, lastColumn, from, to) -> {
          int row = firstColumn / product.columns() * product.rows();
          int first = firstColumn % product.columns();
          run(row + from, row + to, first, first + lastColumn - firstColumn);
        };
  }
}
