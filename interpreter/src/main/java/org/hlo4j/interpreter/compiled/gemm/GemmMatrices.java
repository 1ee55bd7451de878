package org.hlo4j.interpreter.compiled.gemm;

/**
 * The three matrices of a product: their arrays and where they begin there.
 *
 * @param a the array of the left matrix
 * @param aBase the position of its first element
 * @param b the array of the right matrix
 * @param bBase the position of its first element
 * @param c the array of the result
 * @param cBase the position of its first element
 * @param epilogue the epilogue
 */
public record GemmMatrices(
    Object a, int aBase, Object b, int bBase, Object c, int cBase, Epilogue epilogue) {
  /** {@return the matrices of a batch} */
  static GemmMatrices of(
      GemmProblem product, Object a, Object b, Object c, Epilogue epilogue, int batch) {
    return new GemmMatrices(
        a,
        product.batchesA().at(batch),
        b,
        product.batchesB().at(batch),
        c,
        product.batchesC().at(batch),
        epilogue);
  }

  /** {@return these matrices with sums that are stored elsewhere} */
  GemmMatrices withSums(Object sums, int start) {
    return new GemmMatrices(a, aBase, b, bBase, sums, start, Epilogue.NONE);
  }

  /** Runs the epilogue on some columns of some rows, which are complete. */
  void runEpilogue(GemmProblem product, int firstRow, int lastRow, int from, int to) {
    int row = cBase / product.columns();
    epilogue.run(row + firstRow, row + lastRow, from, to);
  }
}
