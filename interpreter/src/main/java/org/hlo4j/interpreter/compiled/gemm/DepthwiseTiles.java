package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.math.IntMath;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.hlo4j.interpreter.engine.WorkCounter;
import org.jspecify.annotations.Nullable;

/**
 * The tiles of a depthwise product, {@code c[i, j] = sum over k of a[i, k, j] * b[k, j]}, where
 * columns are contiguous in a and b. A tile is a few rows with equal distances, such as pixels of a
 * row of an image. Steps that lie outside of the image are left out. Generated kernels compute
 * tiles once they are ready; until then plain loops do, in the same order of operations. If the
 * last columns do not fill a vector, the last vector begins further left, so that some columns are
 * computed twice.
 */
final class DepthwiseTiles {
  private static final int MAX_CONSTANT_TAPS = 8;
  private static final int MAX_CONSTANT_STRIDE = 4;

  private final AccumulatorType accumulatorType;
  private final GemmProblem product;
  private final ImageBorder border;
  private final int innermost;
  private final int tapRun;
  private final int rowRun;
  private final KBlocks kBlocks;
  private final int[] stepsA;
  private final int[] stepsB;
  private final int lanes;
  private final int maxRows;

  /** The distance in a of the columns that the taps of a run of rows meet. */
  private final int columnStride;

  private final boolean hasConstantTaps;

  /** The first rows of the tiles of a run of rows, and its end. */
  private final int[] starts;

  private final ImmutableList<DepthwiseShape> shapes;
  private final int[] shapeOfTile;
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
    this.innermost = border.innermost();
    this.tapRun = tapRun(product, border);
    this.rowRun =
        border.isNone() ? commonStridedRunLength(product.rowsA(), rowsC) : border.run(innermost);
    this.kBlocks = plan.kBlocks();
    this.stepsA = product.stepsA().toTable();
    this.stepsB = product.stepsB().toTable();
    this.lanes = plan.tile().lanes();
    this.maxRows = plan.tile().rows();
    this.columnStride = columnStride();
    this.hasConstantTaps = hasConstantTaps();
    this.starts = starts();
    List<DepthwiseShape> each =
        IntStream.range(0, lanes == 0 ? 0 : tilesInRun()).mapToObj(this::shape).toList();
    this.shapes = ImmutableSet.copyOf(each).asList();
    this.shapeOfTile = each.stream().mapToInt(shapes::indexOf).toArray();
    this.kernels = new @Nullable DepthwiseKernel[shapes.size()];
  }

  /** {@return the number of steps of a row of the window, which have a constant stride} */
  static int tapRun(GemmProblem product, ImageBorder border) {
    return border.isNone()
        ? commonStridedRunLength(product.stepsA(), product.stepsB())
        : border.axes().get(border.innermost()).taps();
  }

  /**
   * {@return the length of the runs that have a constant stride in both tables, where each run
   * begins at a multiple of that length}
   */
  private static int commonStridedRunLength(DimensionOffsets some, DimensionOffsets others) {
    int one = some.stridedRunLength();
    int other = others.stridedRunLength();
    return others.hasConstantStride() || other % one == 0 ? one : one % other == 0 ? other : 1;
  }

  /** {@return whether the rows of a run are the positions along the innermost axis} */
  private boolean isAlongRows() {
    return !border.isNone()
        && border.axes().get(innermost).rowsApart() == 1
        && border.axes().get(innermost).positions() == rowRun;
  }

  private int columnStride() {
    int rows = rowRun == 1 ? 0 : product.rowsA().stride();
    int taps = tapRun == 1 ? 0 : product.stepsA().stride();
    return Math.max(1, IntMath.gcd(rows, taps));
  }

  private boolean hasConstantTaps() {
    return tapRun <= MAX_CONSTANT_TAPS
        && (border.isNone() || isAlongRows())
        && stride() <= MAX_CONSTANT_STRIDE
        && dilation() <= MAX_CONSTANT_STRIDE;
  }

  private int stride() {
    return rowRun == 1 ? 1 : product.rowsA().stride() / columnStride;
  }

  private int dilation() {
    return tapRun == 1 ? 1 : product.stepsA().stride() / columnStride;
  }

  /** Cuts a run of rows. The rows of a tile have the same taps, unless taps are constant. */
  private int[] starts() {
    if (hasConstantTaps || !isAlongRows()) {
      int count = Math.ceilDiv(rowRun, maxRows);
      return IntStream.rangeClosed(0, count).map(i -> (int) ((long) rowRun * i / count)).toArray();
    }
    ImageBorder.Axis axis = border.axes().get(innermost);
    List<Integer> cuts = new ArrayList<>(List.of(0));
    for (int i = 1; i < rowRun; i++) {
      boolean isSame =
          axis.firstTap(i) == axis.firstTap(i - 1) && axis.endTap(i) == axis.endTap(i - 1);
      if (!isSame || i - cuts.getLast() == maxRows) {
        cuts.add(i);
      }
    }
    cuts.add(rowRun);
    return cuts.stream().mapToInt(i -> i).toArray();
  }

  private DepthwiseShape shape(int tile) {
    int pixels = starts[tile + 1] - starts[tile];
    if (!hasConstantTaps) {
      return new DepthwiseShape(accumulatorType, lanes, pixels, 0, 0, 0, 0, 0);
    }
    int columns = (pixels - 1) * stride() + (tapRun - 1) * dilation() + 1;
    int before = 0;
    int after = 0;
    if (!border.isNone()) {
      ImageBorder.Axis axis = border.axes().get(innermost);
      int unit = tapRun > 1 ? axis.dilation() / dilation() : axis.stride();
      int element = axis.element(starts[tile]);
      before = Math.clamp(Math.ceilDiv(-element, unit), 0, columns);
      after = Math.clamp(columns - Math.ceilDiv(axis.size() - element, unit), 0, columns);
    }
    return new DepthwiseShape(
        accumulatorType, lanes, pixels, tapRun, stride(), dilation(), before, after);
  }

  private int tilesInRun() {
    return starts.length - 1;
  }

  /** {@return the number of tiles} */
  int count() {
    return product.rows() / rowRun * tilesInRun();
  }

  /** {@return the first row of a tile} */
  int row(int tile) {
    return tile / tilesInRun() * rowRun + starts[tile % tilesInRun()];
  }

  /**
   * {@return whether all kernels are ready} Starts the warm-up of those that are not, once there
   * has been enough work for them.
   */
  boolean isReady() {
    boolean all = lanes > 0;
    for (int i = 0; i < kernels.length; i++) {
      kernels[i] = MicroKernels.getIfReady(shapes.get(i), product.work());
      all &= kernels[i] != null;
    }
    return all;
  }

  /**
   * Computes a part tile by tile, each with all of its blocks before the next tile. For a short
   * contracting dimension.
   */
  void byRows(DepthwisePart part, boolean ready) {
    if (ready) {
      compute(part, 0, product.columns() / lanes * lanes);
      rest(part);
    } else {
      computeScalar(part);
    }
  }

  /**
   * Computes a part block by block, each for all rows and columns before the next block, so that a
   * block is read once. For a long contracting dimension.
   */
  void byBlocks(DepthwisePart part, boolean ready) {
    if (!ready) {
      computeScalar(part);
      return;
    }
    for (int block = part.b0(); block < part.b1(); block++) {
      compute(part.block(block), 0, product.columns() / lanes * lanes);
    }
    rest(part);
  }

  /** Computes the columns beside whole vectors. */
  private void rest(DepthwisePart part) {
    if (product.columns() % lanes > 0) {
      compute(part, product.columns() - lanes, lanes);
    }
  }

  private void compute(DepthwisePart part, int from, int columns) {
    WorkCounter work = new WorkCounter();
    for (int tile = part.t0(); tile < part.t1(); tile++) {
      int at = tile % tilesInRun();
      int rows = starts[at + 1] - starts[at];
      work.add(work(part, rows * columns / lanes));
      DepthwiseKernel kernel = Objects.requireNonNull(kernels[shapeOfTile[at]]);
      compute(part, row(tile), rows, from, columns, kernel, hasConstantTaps);
    }
  }

  private void computeScalar(DepthwisePart part) {
    DepthwiseKernel kernel = GemmArithmetic.of(accumulatorType);
    WorkCounter work = new WorkCounter();
    for (int row = row(part.t0()); row < row(part.t1()); row++) {
      work.add(work(part, product.columns()));
      compute(part, row, 1, 0, product.columns(), kernel, false);
    }
  }

  private long work(DepthwisePart part, int sums) {
    return (long) sums * (kBlocks.end(part.b1() - 1) - kBlocks.start(part.b0()));
  }

  /**
   * Computes some columns of some rows, which have the same taps in the image.
   *
   * @param hasAllTaps whether the kernel leaves out the taps of a run that are not in the image
   */
  private void compute(
      DepthwisePart part,
      int row,
      int rows,
      int from,
      int columns,
      DepthwiseKernel kernel,
      boolean hasAllTaps) {
    GemmMatrices m = part.matrices();
    int to = m.cBase() + part.rows().at(row) + from;
    boolean add = part.add();
    for (int block = part.b0(), end; block < part.b1(); block = end) {
      end = endOfRows(block, part.b1(), row);
      int k = kBlocks.start(block);
      int run = k - k % tapRun;
      int first = hasAllTaps ? k : Math.max(k, run + firstTap(row));
      int last = hasAllTaps ? kBlocks.end(block) : Math.min(kBlocks.end(block), run + endTap(row));
      if (first < last && isInside(row, block)) {
        boolean isSingle = end == block + 1;
        kernel.run(
            m.a(),
            m.aBase() + product.rowsA().at(row) + stepsA[first] + from,
            isSingle ? 0 : stepsA[kBlocks.start(block + 1)] - stepsA[k],
            product.rowsA().stride(),
            hasAllTaps ? columnStride : product.stepsA().stride(),
            m.b(),
            m.bBase() + stepsB[first] + from,
            isSingle ? 0 : stepsB[kBlocks.start(block + 1)] - stepsB[k],
            product.stepsB().stride(),
            m.c(),
            to,
            part.rows().stride(),
            end - block,
            last - first,
            columns,
            !add
                ? DepthwiseKernel.STORE
                : product.k() > KBlocks.MAX ? DepthwiseKernel.ADD : DepthwiseKernel.CONTINUE);
        add = true;
      }
    }
    for (int i = 0; i < rows && !add; i++) {
      int start = to + i * part.rows().stride();
      MatrixCopies.of(accumulatorType).clear(m.c(), start, start + columns);
    }
  }

  private int firstTap(int row) {
    return border.isNone() ? 0 : border.axes().get(innermost).firstTap(row);
  }

  private int endTap(int row) {
    return border.isNone() ? tapRun : border.axes().get(innermost).endTap(row);
  }

  private boolean isInside(int row, int block) {
    return border.isNone() || border.isInside(row, kBlocks.start(block), innermost);
  }

  /**
   * {@return the end of the blocks, each a whole run, that a kernel may add as rows of a filter}
   */
  private int endOfRows(int block, int limit, int row) {
    int end = block + 1;
    while (end < limit
        && product.k() <= KBlocks.MAX
        && isSameDistance(stepsA, block, end)
        && isSameDistance(stepsB, block, end)
        && isInside(row, block) == isInside(row, end)) {
      end++;
    }
    return end;
  }

  private boolean isSameDistance(int[] steps, int first, int block) {
    int distance = steps[kBlocks.start(block)] - steps[kBlocks.start(block - 1)];
    return distance == steps[kBlocks.start(first + 1)] - steps[kBlocks.start(first)];
  }
}
