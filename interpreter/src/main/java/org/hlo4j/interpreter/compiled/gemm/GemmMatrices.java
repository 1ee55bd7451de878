package org.hlo4j.interpreter.compiled.gemm;

/**
 * Three matrices of a product, where they lie.
 *
 * @param a the array of the left one
 * @param aBase where it begins there
 * @param b the array of the right one
 * @param bBase where it begins there
 * @param c the array of the result
 * @param cBase where it begins there
 * @param finish what is done with parts of the result
 */
public record GemmMatrices(
    Object a, int aBase, Object b, int bBase, Object c, int cBase, Epilogue finish) {
  /** Those of a batch. */
  static GemmMatrices of(
      GemmProblem product, Object a, Object b, Object c, Epilogue finish, int batch) {
    return new GemmMatrices(
        a,
        product.batchesA().at(batch),
        b,
        product.batchesB().at(batch),
        c,
        product.batchesC().at(batch),
        finish);
  }

  /** Some columns of some rows are ready. */
  void finish(GemmProblem product, int firstRow, int lastRow, int from, int to) {
    if (finish != Epilogue.NONE) {
      int row = cBase / product.columns();
      finish.run(row + firstRow, row + lastRow, from, to);
    }
  }
}
