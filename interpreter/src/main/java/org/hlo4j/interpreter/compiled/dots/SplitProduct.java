package org.hlo4j.interpreter.compiled.dots;

import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A product of few sums, each of many steps, as of a matrix of observations with itself: one tile,
 * and so work for one thread. The steps are cut into parts that threads share, products by
 * themselves, whose results are added in order.
 */
final class SplitProduct implements Multiplication {
  private static final int MAX_SUMS = 1 << 11;
  private static final int MIN_STEPS = 1 << 10;
  private static final int MAX_PARTS = 16;

  private final Carrier carrier;
  private final Product product;
  private final Product parts;
  private final Gemm gemm;

  private SplitProduct(Carrier carrier, Product product, int count) {
    this.carrier = carrier;
    this.product = product;
    this.parts = parts(product, count);
    this.gemm = new Gemm(carrier, parts, null);
  }

  /** One for a product that is of this kind; there has to be a number of equal parts. */
  static @Nullable SplitProduct of(Carrier carrier, Product product) {
    boolean fits =
        product.batches() == 1
            && (double) product.rows() * product.columns() <= MAX_SUMS
            && product.stepsA().isEven()
            && product.stepsB().isEven();
    int count = fits ? count(product.steps()) : 1;
    return count > 1 ? new SplitProduct(carrier, product, count) : null;
  }

  private static int count(int steps) {
    int count = Math.min(MAX_PARTS, steps / MIN_STEPS);
    while (count > 1 && steps % count != 0) {
      count--;
    }
    return count;
  }

  /** The parts as batches, whose results lie one behind the other. */
  private static Product parts(Product product, int count) {
    int steps = product.steps() / count;
    int strideA = product.stepsA().stride();
    int strideB = product.stepsB().stride();
    int rows = product.rows();
    int columns = product.columns();
    return new Product(
        Positions.even(count, steps * strideA).plus(product.batchesA().at(0)),
        product.rowsA(),
        Positions.even(steps, strideA),
        Positions.even(count, steps * strideB).plus(product.batchesB().at(0)),
        Positions.even(steps, strideB),
        product.columnsB(),
        Positions.even(count, rows * columns),
        Positions.even(rows, columns),
        Positions.even(columns, 1));
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Finish finish) {
    int rows = product.rows();
    int size = rows * product.columns();
    Area area = Scratch.borrow(carrier, parts.batches() * size);
    gemm.run(a, b, area.array(), context, Finish.NONE);
    Movement.of(carrier).scatterSums(area.array(), parts.batches(), product, c, 0, rows);
    Scratch.giveBack(carrier, area);
    finish.run(0, rows, 0, product.columns());
  }

  @Override
  public boolean hasRows() {
    return product.isStoredByRows();
  }

  @Override
  public int columns() {
    return product.columns();
  }

  @Override
  public String toString() {
    return "sums of " + parts.batches() + " parts: " + gemm;
  }
}
