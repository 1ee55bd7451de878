package org.hlo4j.interpreter.compiled.dots;

import org.hlo4j.interpreter.kernel.KernelContext;

/** Products of small matrices by plain loops, each sum by itself, in order of k. */
final class SmallProduct {
  private static final double ON_ONE_THREAD = 50_000;

  private final Carrier carrier;
  private final Product product;

  SmallProduct(Carrier carrier, Product product) {
    this.carrier = carrier;
    this.product = product;
  }

  void run(Object a, Object b, Object c, KernelContext context, Finish finish) {
    double each = Math.max(1, product.work()) / Math.max(1, product.batches());
    Cuts cuts = Cuts.of(product.batches(), 1 + (int) (ON_ONE_THREAD / each));
    Chunks.run(
        context,
        false,
        cuts.count(),
        chunk -> {
          context.checkLimits();
          for (int batch = cuts.start(chunk); batch < cuts.end(chunk); batch++) {
            Matrices matrices = Matrices.of(product, a, b, c, finish, batch);
            Arithmetic.of(carrier).small(product, matrices);
            matrices.finish(product, 0, product.rows(), 0, product.columns());
          }
        });
  }
}
