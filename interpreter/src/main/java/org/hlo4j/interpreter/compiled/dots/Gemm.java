package org.hlo4j.interpreter.compiled.dots;

import org.hlo4j.interpreter.compiled.lanes.VectorSupport;
import org.hlo4j.interpreter.kernel.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * Computes products: by vector tiles once those that it needs are ready, until then by plain loops
 * of the same order of operations, so that the bits of the result do not depend on which. Each sum
 * is made of blocks of at most {@link Numbers#STEPS} steps, rounded after each fused multiply-add,
 * and the sums of the blocks are added in order: for K steps the error is at most {@code (min(K,
 * 256) + K / 256) * u / (1 - ...)} times the sum of the absolute products, u being half an ulp of
 * 1.
 */
final class Gemm implements Multiplication {
  private static final double SMALL = 1024;
  private static final double ON_ONE_THREAD = 250_000;

  private final Carrier carrier;
  private final Product product;
  private final Numbers numbers;
  private final Blocks steps;
  private final boolean isSmall;
  private final @Nullable TiledProduct tiled;

  Gemm(Carrier carrier, Product product) {
    this(carrier, product, false);
  }

  /** In place: the left side is so that tiles may read it without packing. */
  Gemm(Carrier carrier, Product product, boolean inPlace) {
    this.carrier = carrier;
    this.product = product;
    this.numbers = Numbers.of(carrier);
    this.isSmall = product.work() <= SMALL && product.isEven();
    this.steps = Blocks.of(product.steps(), inPlace ? product.stepsA().run() : product.steps());
    this.tiled =
        isSmall || !VectorSupport.isOn()
            ? null
            : new TiledProduct(carrier, product, steps, inPlace);
    if (tiled != null) {
      tiled.isReady();
    }
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Finish finish) {
    if (product.rows() == 0 || product.columns() == 0) {
      return;
    }
    if (isSmall) {
      numbers.small(product, a, b, c);
      finish.run(0, product.batches() * product.rows(), 0, product.columns());
    } else if (tiled != null && tiled.isReady()) {
      tiled.run(a, b, c, context, finish);
    } else {
      runPlain(a, b, c, context, finish);
    }
  }

  @Override
  public boolean hasRows() {
    int columns = product.columns();
    boolean isEven = product.rowsC().isEven() && product.batchesC().isEven();
    return isEven
        && product.columnsC().isContiguous()
        && (product.rows() == 1 || product.rowsC().stride() == columns)
        && (product.batches() == 1 || product.batchesC().stride() == columns * product.rows());
  }

  @Override
  public int columns() {
    return product.columns();
  }

  private void runPlain(Object a, Object b, Object c, KernelContext context, Finish finish) {
    int rowChunks = Math.ceilDiv(product.rows(), Numbers.BLOCK_ROWS);
    int columnChunks = Math.ceilDiv(product.columns(), Numbers.BLOCK);
    int chunks = Math.multiplyExact(rowChunks * columnChunks, product.batches());
    Chunks.run(
        context,
        product.work() < ON_ONE_THREAD,
        chunks,
        chunk -> {
          context.checkLimits();
          int batch = chunk / (rowChunks * columnChunks);
          int j0 = chunk / rowChunks % columnChunks * Numbers.BLOCK;
          int i0 = chunk % rowChunks * Numbers.BLOCK_ROWS;
          plain(Matrices.of(product, a, b, c, finish, batch), i0, j0);
        });
  }

  private void plain(Matrices matrices, int i0, int j0) {
    int i1 = Math.min(product.rows(), i0 + Numbers.BLOCK_ROWS);
    int j1 = Math.min(product.columns(), j0 + Numbers.BLOCK);
    for (int k = 0; k < steps.count(); k++) {
      numbers.block(
          product,
          matrices.a(),
          matrices.aBase(),
          matrices.b(),
          matrices.bBase(),
          matrices.c(),
          matrices.cBase(),
          i0,
          i1,
          j0,
          j1,
          steps.start(k),
          steps.end(k),
          k > 0);
    }
    matrices.finish(product, i0, i1, j0, j1);
  }

  /** What computes it, in words. */
  @Override
  public String toString() {
    String how = isSmall ? "small" : tiled != null ? tiled.toString() : "plain loops";
    return "gemm "
        + carrier.toString().toLowerCase(java.util.Locale.ROOT)
        + " "
        + product
        + ", "
        + how;
  }
}
