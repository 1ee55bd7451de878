package org.hlo4j.interpreter.compiled.dots;

import org.hlo4j.interpreter.kernel.KernelContext;

/** A product by plain loops, which C2 makes vectors of; in the order of a {@link TiledProduct}. */
final class PlainProduct {
  private static final double ON_ONE_THREAD = 250_000;

  private final Carrier carrier;
  private final Product product;
  private final Blocks steps;

  PlainProduct(Carrier carrier, Product product, Blocks steps) {
    this.carrier = carrier;
    this.product = product;
    this.steps = steps;
  }

  void run(Object a, Object b, Object c, KernelContext context, Finish finish) {
    int rowChunks = Math.ceilDiv(product.rows(), PlainRows.ROWS);
    int columnChunks = Math.ceilDiv(product.columns(), PlainRows.COLUMNS);
    int chunks = Math.multiplyExact(rowChunks * columnChunks, product.batches());
    Chunks.run(
        context,
        product.work() < ON_ONE_THREAD,
        chunks,
        chunk -> {
          context.checkLimits();
          int batch = chunk / (rowChunks * columnChunks);
          int j0 = chunk / rowChunks % columnChunks * PlainRows.COLUMNS;
          int i0 = chunk % rowChunks * PlainRows.ROWS;
          run(Matrices.of(product, a, b, c, finish, batch), i0, j0);
        });
  }

  private void run(Matrices matrices, int i0, int j0) {
    int i1 = Math.min(product.rows(), i0 + PlainRows.ROWS);
    int j1 = Math.min(product.columns(), j0 + PlainRows.COLUMNS);
    PlainRows rows = Workspace.of(carrier).plainRows();
    Part result = new Part(product.rowsC(), i0, i1, product.columnsC(), j0, j1);
    for (int block = 0; block < steps.count(); block++) {
      int k0 = steps.start(block);
      int k1 = steps.end(block);
      rows.fill(
          matrices,
          new Part(product.rowsA(), i0, i1, product.stepsA(), k0, k1),
          new Part(product.stepsB(), k0, k1, product.columnsB(), j0, j1));
      Arithmetic.of(carrier).addProducts(rows);
      rows.scatter(matrices, result, block > 0);
    }
    matrices.finish(product, i0, i1, j0, j1);
  }
}
