package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.collect.ImmutableList;
import com.google.common.math.IntMath;
import java.util.Objects;
import java.util.stream.IntStream;
import org.hlo4j.interpreter.engine.WorkCounter;
import org.jspecify.annotations.Nullable;

/**
 * The tiles of a depthwise product, {@code c[i, j] = sum over k of a[i, k, j] * b[k, j]}, where
 * columns are contiguous in a and b. A tile is a few rows with equal distances, such as pixels of a
 * row of an image. Generated kernels compute tiles once they are ready; until then plain loops do,
 * in the same order of operations. If the last columns do not fill a vector, the last vector begins
 * further left, so that some columns are computed twice.
 */
final class DepthwiseTiles {
  private final AccumulatorType accumulatorType;
  private final GemmProblem product;
  private final ImageBorder border;
  private final KBlocks kBlocks;
  private final DimensionOffsets rowsC;
  private final int lanes;
  private final DepthwiseKernel scalar;

  /** The number of steps of a row of the filter. */
  private final int taps;

  /** The number of rows, at equal distances, that are cut into equal tiles. */
  private final int rowRun;

  private final int tilesInRun;

  private final int pixelStride;

  /** The distance in a of the columns that the taps of a run of rows meet. */
  private final int columnStride;

  /** The offsets in a and in b of the rows of the filter. */
  private final int[] steps;

  private final ImmutableList<DepthwiseShape> shapes;
  private final @Nullable DepthwiseKernel[] kernels;

  /**
   * Creates the tiles of a product.
   *
   * @param rowsC the offsets of the rows of sums
   */
  DepthwiseTiles(GemmConfig config, GemmPlan plan, DimensionOffsets rowsC) {
    this.accumulatorType = config.accumulatorType();
    this.product = config.product();
    this.border = config.border();
    this.kBlocks = plan.kBlocks();
    this.rowsC = rowsC;
    this.lanes = plan.tile().lanes();
    this.scalar = GemmArithmetic.of(config.accumulatorType());
    this.rowRun = border.isNone() ? product.rowsA().commonRun(rowsC) : border.positions();
    this.tilesInRun = Math.ceilDiv(rowRun, plan.tile().rows());
    this.taps = taps(config, kBlocks);
    this.pixelStride = product.rows() == 1 ? 0 : product.rowsA().stride();
    int tapStride = taps == 1 ? 0 : product.stepsA().stride();
    this.columnStride = Math.max(1, IntMath.gcd(pixelStride, tapStride));
    int dilation = Math.max(1, tapStride / columnStride);
    this.steps =
        IntStream.range(0, product.k() / taps)
            .map(i -> i * taps)
            .flatMap(k -> IntStream.of(product.stepsA().at(k), product.stepsB().at(k)))
            .toArray();
    this.shapes =
        IntStream.range(0, tilesInRun)
            .mapToObj(tile -> shape(tile, dilation))
            .collect(ImmutableList.toImmutableList());
    this.kernels = new @Nullable DepthwiseKernel[tilesInRun];
  }

  /** {@return the number of steps of a row of the filter} */
  static int taps(GemmConfig config, KBlocks kBlocks) {
    if (!config.border().isNone()) {
      return config.border().taps();
    }
    DimensionOffsets stepsA = config.product().stepsA();
    int run =
        IntStream.range(0, kBlocks.count())
            .map(kBlocks::end)
            .reduce(stepsA.commonRun(config.product().stepsB()), IntMath::gcd);
    int pixelStride = config.product().rows() == 1 ? 0 : config.product().rowsA().stride();
    return IntStream.iterate(Math.min(run, DepthwiseShape.MAX_TAPS), taps -> taps - 1)
        .filter(taps -> run % taps == 0)
        .filter(taps -> DepthwiseShape.isPossible(taps, pixelStride, stepsA.stride()))
        .findFirst()
        .orElseThrow();
  }

  private DepthwiseShape shape(int tile, int dilation) {
    int pixels = row(tile + 1) - row(tile);
    int stride = pixelStride / columnStride;
    int columns = (pixels - 1) * stride + (taps - 1) * dilation + 1;
    int first =
        product.batchesA().at(0) % border.rowLength() - border.before() + row(tile) * pixelStride;
    int before = Math.clamp(Math.ceilDiv(-first, columnStride), 0, columns);
    int end = Math.clamp(Math.ceilDiv(border.size() - first, columnStride), 0, columns);
    return new DepthwiseShape(accumulatorType, lanes, pixels, taps, stride, dilation, before, end);
  }

  /** {@return the number of tiles} */
  int count() {
    return product.rows() / rowRun * tilesInRun;
  }

  /** {@return the first row of a tile} */
  int row(int tile) {
    int inRun = (int) ((long) rowRun * (tile % tilesInRun) / tilesInRun);
    return tile / tilesInRun * rowRun + inRun;
  }

  /**
   * {@return whether all kernels are ready} Starts the warm-up of those that are not, once there
   * has been enough work for them.
   */
  boolean isReady() {
    boolean all = lanes > 0;
    for (int i = 0; i < tilesInRun && lanes > 0; i++) {
      kernels[i] = MicroKernels.getIfReady(shapes.get(i), product.work());
      all &= kernels[i] != null;
    }
    return all;
  }

  /**
   * Computes the sums of some blocks of steps, block by block, so that each is read once.
   *
   * @param m the operands and the destination of the sums
   */
  void run(GemmMatrices m, int t0, int t1, int b0, int b1) {
    int columns = product.columns();
    int whole = lanes == 0 ? columns : columns / lanes * lanes;
    for (int block = b0; block < b1; block++) {
      run(m, t0, t1, block, block > b0, 0, whole);
    }
    for (int block = b0; block < b1 && whole < columns; block++) {
      run(m, t0, t1, block, block > b0, columns - lanes, lanes);
    }
  }

  private void run(GemmMatrices m, int t0, int t1, int block, boolean add, int from, int columns) {
    WorkCounter work = new WorkCounter();
    int first = kBlocks.start(block) / taps;
    int count = kBlocks.end(block) / taps - first;
    int[] rows = border.isNone() ? steps : new int[steps.length];
    for (int tile = t0; tile < t1; tile++) {
      int at = tile % tilesInRun;
      int row = row(tile);
      if (!border.isNone() && (at == 0 || tile == t0)) {
        count = findRows(row, rows);
      }
      DepthwiseShape shape = shapes.get(at);
      work.add((long) shape.pixels() * columns * count * taps / Math.max(1, lanes));
      Objects.requireNonNullElse(kernels[at], scalar)
          .run(
              shape,
              m.a(),
              m.aBase() + product.rowsA().at(row) + from,
              columnStride,
              m.b(),
              m.bBase() + from,
              product.stepsB().stride(),
              rows,
              2 * first,
              count,
              m.c(),
              m.cBase() + rowsC.at(row) + from,
              rowsC.stride(),
              columns,
              add);
    }
  }

  /** Finds the rows of the filter that meet the image, and returns their number. */
  private int findRows(int row, int[] to) {
    int start = product.batchesA().at(0) + product.rowsA().at(row);
    int count = 0;
    for (int i = 0; i < steps.length; i += 2) {
      int shift = border.shift(start + steps[i]);
      if (shift != ImageBorder.MISSING) {
        to[2 * count] = steps[i] + shift;
        to[2 * count + 1] = steps[i + 1];
        count++;
      }
    }
    return count;
  }
}
