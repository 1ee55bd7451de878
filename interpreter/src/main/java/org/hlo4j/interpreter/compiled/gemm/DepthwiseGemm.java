package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.collect.ImmutableList;
import com.google.common.math.IntMath;
import java.util.Objects;
import java.util.stream.IntStream;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.hlo4j.interpreter.engine.Pieces;
import org.jspecify.annotations.Nullable;

/**
 * A depthwise product, {@code c[i, j] = sum over k of a[i, k, j] * b[k, j]}, whose columns are
 * contiguous in a and b. If they are not in the result, some rows at a time are computed in a
 * workspace and then copied to the result. If there are few rows and many steps, as in the gradient
 * with respect to the kernel of a convolution, threads share parts of the steps; each block of a
 * part is read once, for all rows, and the sums of the parts are added in order.
 *
 * <p>A tile is a few rows with equal distances, such as pixels of a row of an image. Generated
 * kernels compute tiles once they are ready; until then plain loops do, in the same order of
 * operations. If the last columns do not fill a vector, the last vector begins further left, so
 * that some columns are computed twice.
 */
final class DepthwiseGemm extends GemmAlgorithm.OfProduct {
  private static final double MIN_PARALLEL_SUMS = 200_000;
  private static final int ROWS_AT_ONCE = 8;

  private final ImageBorder border;
  private final boolean isSplit;
  private final boolean isInPlace;

  /** The product with the right side as it is read: in place, or packed. */
  private final GemmProblem read;

  /** The offsets of the rows of sums. */
  private final DimensionOffsets rowsOfSums;

  /** The number of rows, at equal distances, that are cut into equal tiles. */
  private final int rowRun;

  private final int tilesInRun;
  private final int tiles;

  /** The number of steps of a row of the filter. */
  private final int taps;

  /** The distance in a of the columns that the taps of a run of rows meet. */
  private final int columnStride;

  /** The offsets in a and in b of the rows of the filter. */
  private final int[] steps;

  private final ImmutableList<DepthwiseShape> shapes;
  private final @Nullable DepthwiseKernel[] kernels;

  DepthwiseGemm(GemmConfig config, GemmPlan plan) {
    super(config, plan);
    this.border = config.border();
    if (!border.isNone() && plan.kBlocks().count() > 1) {
      throw new IllegalArgumentException("a border of more than one block: " + config);
    }
    this.isSplit = plan.split() == GemmPlan.Split.STEPS;
    this.isInPlace = !isSplit && product.columnsC().isContiguous();
    boolean isRightInPlace = plan.right() == GemmPlan.Packing.IN_PLACE;
    this.read = isRightInPlace ? product : product.withPackedRight(product.columns(), 1);
    this.rowsOfSums =
        isInPlace ? product.rowsC() : DimensionOffsets.strided(product.rows(), product.columns());
    this.rowRun = border.isNone() ? product.rowsA().commonRun(rowsOfSums) : border.positions();
    this.tilesInRun = tiles(rowRun, plan.tile().rows());
    this.tiles = product.rows() / rowRun * tilesInRun;
    this.taps = taps(config, plan.kBlocks());
    int tapStride = taps == 1 ? 0 : product.stepsA().stride();
    this.columnStride = Math.max(1, IntMath.gcd(pixelStride(product), tapStride));
    int dilation = Math.max(1, tapStride / columnStride);
    this.steps =
        IntStream.range(0, product.k() / taps)
            .map(i -> i * taps)
            .flatMap(k -> IntStream.of(read.stepsA().at(k), read.stepsB().at(k)))
            .toArray();
    this.shapes =
        IntStream.range(0, tilesInRun)
            .mapToObj(tile -> shape(tile, dilation))
            .collect(ImmutableList.toImmutableList());
    this.kernels = new @Nullable DepthwiseKernel[tilesInRun];
  }

  /** {@return the number of steps of a row of the filter} */
  static int taps(GemmConfig config, KBlocks kBlocks) {
    GemmProblem product = config.product();
    if (!config.border().isNone()) {
      return config.border().taps();
    }
    if (product.stepsA().stride() < product.columns()) {
      // Taps overlap, and have no columns of the image in common.
      return 1;
    }
    int run = IntMath.gcd(product.stepsA().commonRun(product.stepsB()), kBlocks.end(0));
    int taps = Math.min(run, DepthwiseShape.MAX_TAPS);
    while (run % taps > 0
        || !DepthwiseShape.isPossible(taps, pixelStride(product), product.stepsA().stride())) {
      taps--;
    }
    return taps;
  }

  /**
   * {@return the number of tiles of a run} They have equally many rows if that takes few more of
   * them, so that they share their code, which C2 takes longest for in the first runs.
   */
  private static int tiles(int rowRun, int maxRows) {
    int least = Math.ceilDiv(rowRun, maxRows);
    return IntStream.rangeClosed(least, least + least / 2)
        .filter(tiles -> rowRun % tiles == 0)
        .findFirst()
        .orElse(least);
  }

  private static int pixelStride(GemmProblem product) {
    return product.rows() == 1 ? 0 : product.rowsA().stride();
  }

  private DepthwiseShape shape(int tile, int dilation) {
    int pixels = row(tile + 1) - row(tile);
    int stride = pixelStride(product) / columnStride;
    int columns = (pixels - 1) * stride + (taps - 1) * dilation + 1;
    int first = product.batchesA().at(0) % border.rowLength() - border.before();
    int start = first + row(tile) * pixelStride(product);
    return new DepthwiseShape(
        accumulatorType,
        plan.tile().lanes(),
        pixels,
        taps,
        stride,
        dilation,
        Math.clamp(Math.ceilDiv(-start, columnStride), 0, columns),
        Math.clamp(Math.ceilDiv(border.size() - start, columnStride), 0, columns));
  }

  /** {@return the first row of a tile} */
  private int row(int tile) {
    int inRun = (int) ((long) rowRun * (tile % tilesInRun) / tilesInRun);
    return tile / tilesInRun * rowRun + inRun;
  }

  @Override
  public boolean isReady() {
    boolean all = plan.hasTiles();
    for (int i = 0; i < tilesInRun && plan.hasTiles(); i++) {
      kernels[i] = MicroKernels.getIfReady(shapes.get(i), product.work());
      all &= kernels[i] != null;
    }
    return all;
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    boolean _ = isReady();
    if (isSplit) {
      runParts(a, b, c, context, epilogue);
    } else if (read.equals(product)) {
      runTiles(a, b, c, context, epilogue);
    } else {
      withPackedRight(
          b, product.right(), context, packed -> runTiles(a, packed, c, context, epilogue));
    }
  }

  private void runTiles(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    double sums = (double) product.rows() * product.columns() / tiles;
    double minSums =
        Math.max(Machine.SMALL_PRODUCT_GRAIN / product.k(), isInPlace ? 0 : Machine.COPY_GRAIN);
    new Parallel(
            context,
            plan.split() == GemmPlan.Split.ROWS,
            product.batches() * tiles,
            (int) Math.ceil(minSums / sums))
        .run((first, last) -> {
          for (int t0 = first, t1; t0 < last; t0 = t1) {
            int batch = t0 / tiles;
            t1 = Math.min(last, (batch + 1) * tiles);
            GemmMatrices matrices = GemmMatrices.of(read, a, b, c, epilogue, batch);
            runTiles(matrices, t0 - batch * tiles, t1 - batch * tiles);
          }
        });
  }

  private void runTiles(GemmMatrices matrices, int t0, int t1) {
    int columns = product.columns();
    int i0 = row(t0);
    int i1 = row(t1);
    int blocks = plan.kBlocks().count();
    if (isInPlace) {
      compute(matrices, t0, t1, 0, blocks);
    } else {
      Object sums = ThreadWorkspace.of(accumulatorType).result((i1 - i0) * columns);
      compute(matrices.withSums(sums, -i0 * columns), t0, t1, 0, blocks);
      MatrixPart part = new MatrixPart(product.rowsC(), i0, i1, product.columnsC(), 0, columns);
      MatrixCopies.of(accumulatorType)
          .scatter(sums, 0, columns, matrices.c(), matrices.cBase(), part, false);
    }
    matrices.runEpilogue(product, i0, i1, 0, columns);
  }

  private void runParts(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    RowBlocks parts = new RowBlocks(plan.kBlocks().count(), 1, plan.parts());
    int size = product.rows() * product.columns();
    int all = parts.count() * size;
    SharedWorkspace.use(
        context,
        accumulatorType,
        all,
        buffer -> {
          Object sums = buffer.array();
          new Parallel(context, parts.count())
              .forEach(i ->
                  compute(
                      GemmMatrices.of(read, a, b, c, epilogue, 0).withSums(sums, i * size),
                      0,
                      tiles,
                      parts.start(i),
                      parts.end(i)));
          new Parallel(context, all >= MIN_PARALLEL_SUMS, product.rows(), ROWS_AT_ONCE)
              .run((i0, i1) -> {
                MatrixCopies.of(accumulatorType)
                    .scatterSums(sums, parts.count(), product, c, i0, i1);
                epilogue.run(i0, i1, 0, product.columns());
              });
        });
  }

  /** Computes the sums of some blocks of steps in some tiles. */
  private void compute(GemmMatrices m, int t0, int t1, int b0, int b1) {
    int columns = product.columns();
    int lanes = plan.hasTiles() ? plan.tile().lanes() : columns;
    int rest = columns % lanes;
    computeColumns(m, t0, t1, b0, b1, 0, columns - rest);
    if (rest > 0) {
      computeColumns(m, t0, t1, b0, b1, columns - lanes, lanes);
    }
  }

  private void computeColumns(
      GemmMatrices m, int t0, int t1, int b0, int b1, int from, int columns) {
    DepthwiseKernel scalar = GemmArithmetic.of(accumulatorType);
    int[] rows = border.isNone() ? steps : new int[steps.length];
    Pieces pieces = new Pieces();
    for (int block = b0; block < b1; block++) {
      int first = plan.kBlocks().start(block) / taps;
      int count = plan.kBlocks().end(block) / taps - first;
      for (int tile = t0; tile < t1; tile++) {
        int at = tile % tilesInRun;
        int row = row(tile);
        int aStart = m.aBase() + product.rowsA().at(row);
        if (!border.isNone() && (at == 0 || tile == t0)) {
          // All rows of the filter at once: a border is left out only where there is one block.
          count = border.findRows(steps, aStart, rows);
        }
        DepthwiseShape shape = shapes.get(at);
        pieces.next((long) shape.pixels() * columns * count * taps / Math.max(1, shape.lanes()));
        Objects.requireNonNullElse(kernels[at], scalar)
            .run(
                shape,
                m.a(),
                aStart + from,
                columnStride,
                m.b(),
                m.bBase() + from,
                read.stepsB().stride(),
                rows,
                2 * first,
                count,
                m.c(),
                m.cBase() + rowsOfSums.at(row) + from,
                rowsOfSums.stride(),
                columns,
                block > b0);
      }
    }
  }
}
