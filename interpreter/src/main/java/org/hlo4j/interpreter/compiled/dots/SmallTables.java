package org.hlo4j.interpreter.compiled.dots;

/** All positions of a small product, as tables. */
@SuppressWarnings("ArrayRecordComponent") // nobody compares them
record SmallTables(
    int[] batchesA,
    int[] rowsA,
    int[] stepsA,
    int[] batchesB,
    int[] stepsB,
    int[] columnsB,
    int[] batchesC,
    int[] rowsC,
    int[] columnsC) {
  static SmallTables of(Product product) {
    return new SmallTables(
        product.batchesA().toTable(),
        product.rowsA().toTable(),
        product.stepsA().toTable(),
        product.batchesB().toTable(),
        product.stepsB().toTable(),
        product.columnsB().toTable(),
        product.batchesC().toTable(),
        product.rowsC().toTable(),
        product.columnsC().toTable());
  }
}
