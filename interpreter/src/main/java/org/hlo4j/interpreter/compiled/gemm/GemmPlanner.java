package org.hlo4j.interpreter.compiled.gemm;

import java.util.Optional;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Along;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Packing;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Split;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Tile;

/**
 * The choice of a {@link GemmPlan}. It depends on the product and on the length of vectors only,
 * and the order of additions on the product alone. It is the same for the product with rows and
 * columns exchanged.
 */
public final class GemmPlanner {
  static final int MAX_PARTS = 16;
  private static final double DEPTHWISE_PART = 200_000;
  private static final int MAX_DEPTHWISE_SUMS = 1 << 22;

  private static final double MIN_UNPACKED_WORK = 1 << 7;
  private static final double MAX_UNPACKED_WORK = 1 << 18;
  private static final int MIN_LANES = 4;
  private static final int MAX_VECTORS = 4;

  /**
   * The maximum for a single row. It has more accumulators, since each has to wait for its previous
   * multiply-add.
   */
  private static final int MAX_VECTORS_OF_ROW = 8;

  /** With at least so many rows, plain loops over rows are long enough for C2's vectors. */
  private static final int MANY_ROWS = 128;

  /** With more steps than this, packing for tiles is worthwhile. */
  private static final int FEW_STEPS = 32;

  /** With fewer columns, packing a row takes longer than its fixed stride saves. */
  private static final int MIN_COLUMNS_OF_PACKED_ROWS = 128;

  private static final double MIN_PARALLEL_BATCH_WORK = 4_000_000;
  private static final int MAX_ROWS_OF_PANELS = 256;
  private static final int MIN_PANELS = 4;

  /**
   * The maximum row stride for reading the left side in place. Rows further apart evict each other
   * from a cache, unless it holds all of them.
   */
  private static final int MAX_APART = 1024;

  private static final int MAX_COMPACT = 1 << 18;
  private static final int MIN_RUN = 32;
  private static final int MIN_RUN_FEW_COLUMNS = 8;
  private static final int FEW_COLUMNS = 16;
  private static final int MIN_ROW_LENGTH = 12;
  private static final int MAX_ROW_LENGTH = 512;
  private static final double MIN_IMAGE_WORK_IN_PLACE = 1 << 20;

  private final GemmConfig config;
  private final GemmProblem product;
  private final int vectorBits;
  private final int lanes;

  private GemmPlanner(GemmConfig config, int vectorBits) {
    this.config = config;
    this.product = config.product();
    this.vectorBits = vectorBits;
    this.lanes = vectorBits / config.accumulatorType().bits();
  }

  /**
   * Returns the plan for a product.
   *
   * @param vectorBits the length of vectors; 0 without vectors
   */
  static GemmPlan choose(GemmConfig config, int vectorBits) {
    return new GemmPlanner(config, vectorBits).choose();
  }

  private GemmPlan choose() {
    return switch (config.kind()) {
      case DOT -> chooseDot();
      case DOT_IN_ORDER -> chooseProduct();
      case CONVOLUTION -> chooseConvolution();
      case DEPTHWISE -> depthwise();
    };
  }

  private GemmPlan chooseDot() {
    Optional<GemmProblem> rows = GemvPlanner.rows(product);
    if (rows.isPresent()) {
      return new GemvPlanner(config, vectorBits).choose(rows.get());
    }
    int parts = SumOrder.parts(product);
    if (parts > 1) {
      return choose(config.parts(parts), vectorBits).withParts(parts);
    }
    return lanesAreRows() ? chooseSwapped() : chooseProduct();
  }

  private GemmPlan chooseSwapped() {
    return new GemmPlanner(config.swapped(), vectorBits).chooseProduct().swapped();
  }

  /**
   * {@return whether rows are contiguous in the left side, while columns are few, or the right side
   * would be packed in each run}
   */
  private boolean lanesAreRows() {
    boolean hasFewColumns =
        product.columns() <= MicroKernelSet.ROWS && product.rows() > product.columns();
    boolean packsRight = !product.hasContiguousRowsB() && !config.isRightFixed();
    return product.transposed().hasContiguousRowsB() && (hasFewColumns || packsRight);
  }

  private GemmPlan chooseProduct() {
    return chooseGemm(canReadLeftInPlace(), KBlocks.of(product.k(), product.k(), KBlocks.MAX));
  }

  /** Chooses lanes that are steps, contiguous window positions, or else features. */
  private GemmPlan chooseConvolution() {
    GemmProblem ordered = config.ordered();
    if (GemvPlanner.isOfWindows(ordered)) {
      return new GemvPlanner(config, vectorBits).choose(product);
    } else if (product.transposed().hasContiguousRowsB() && product.rowsC().isContiguous()) {
      return chooseSwapped();
    }
    int run = hasLongRuns(ordered) ? ordered.stepsA().contiguousRunLength() : ordered.k();
    return chooseGemm(hasRunsInPlace(), KBlocks.of(ordered.k(), run, KBlocks.MAX));
  }

  /** Chooses among the forms in which lanes are columns. */
  private GemmPlan chooseGemm(boolean isInPlace, KBlocks kBlocks) {
    if (isPadded()) {
      return packed(true, kBlocks);
    }
    if (isUnpacked(kBlocks)) {
      return alike(Split.BATCHES, Packing.IN_PLACE, kBlocks, tileInPlace());
    }
    if (product.isSmall() || hasFewSums()) {
      return alike(Split.BATCHES, Packing.IN_PLACE, kBlocks, Tile.NONE);
    }
    if (arePlainLoopsFastest()) {
      Split split = product.work() >= Machine.MIN_PARALLEL_WORK ? Split.ROWS : Split.NONE;
      return alike(split, Packing.PER_THREAD, kBlocks, Tile.NONE);
    }
    return packed(isInPlace, kBlocks);
  }

  // ---- lanes are columns

  /**
   * {@return whether tiles may read the left side in place: its rows are few, or contiguous and
   * close}
   */
  private boolean canReadLeftInPlace() {
    DimensionOffsets rows = product.rowsA();
    boolean isCompact =
        product.stepsA().isContiguous()
            && (rows.stride() <= MAX_APART || (double) rows.stride() * rows.count() <= MAX_COMPACT);
    return rows.hasConstantStride() && (isCompact || (hasFewRows() && hasForwardSteps()));
  }

  private boolean hasForwardSteps() {
    return product.stepsA().hasConstantStride() && product.stepsA().stride() >= 0;
  }

  /**
   * {@return whether tiles may read an image in place: contiguous runs are long, or hold all steps,
   * and there are enough window positions in a row}
   */
  private static boolean hasLongRuns(GemmProblem product) {
    int run = product.rowsA().stridedRunLength();
    int minSteps = product.columns() > FEW_COLUMNS ? MIN_RUN : MIN_RUN_FEW_COLUMNS;
    return product.work() >= MIN_IMAGE_WORK_IN_PLACE
        && product.stepsA().contiguousRunLength() >= Math.min(product.k(), minSteps)
        && run >= MIN_ROW_LENGTH
        && (run <= MAX_ROW_LENGTH || product.rowsA().hasConstantStride());
  }

  /**
   * {@return whether tiles may read the image of a convolution in place: the runs of which blocks
   * are parts are contiguous there}
   */
  private boolean hasRunsInPlace() {
    GemmProblem ordered = config.ordered();
    return hasLongRuns(ordered)
        && product.stepsA().contiguousRunLength() == ordered.stepsA().contiguousRunLength();
  }

  /**
   * {@return whether the right side is padded to whole vectors as it is packed: rows of the result
   * do not fill them, and the left side is read in place} For many rows that takes less time than
   * to compute columns twice.
   */
  private boolean isPadded() {
    return lanes > 0
        && !fillsVectors()
        && !hasFewRows()
        && product.columns() > 1
        && !product.isSmall()
        && canReadLeftInPlace();
  }

  private boolean fillsVectors() {
    return lanes > 0 && product.columns() % lanes(product.columns()) == 0;
  }

  /** {@return whether both sides are read in place} A right side is kept if it had to be packed. */
  private boolean isUnpacked(KBlocks kBlocks) {
    return product.rowsA().hasConstantStride()
        && hasForwardSteps()
        && hasPanelsInPlace()
        && ((fillsVectors() && kBlocks.count() == 1) || !keepsRight())
        && product.work()
            > (fillsVectors() ? MIN_UNPACKED_WORK : GemmProblem.SMALL) * product.batches()
        && product.work() <= MAX_UNPACKED_WORK * product.batches();
  }

  /** {@return whether rows of the right side, at least as long as a vector, are contiguous} */
  private boolean hasPanelsInPlace() {
    return lanes > 0
        && product.columns() >= lanes(product.columns())
        && product.hasContiguousRowsB();
  }

  /** {@return whether there are too few sums for vectors, or a single column of short ones} */
  private boolean hasFewSums() {
    boolean isColumn = product.columns() == 1 && product.k() <= FEW_STEPS;
    return (isColumn || (product.columns() < MIN_LANES && hasFewRows()))
        && product.hasConstantStrides();
  }

  /** {@return the lanes of the longest vectors, or of shorter ones for rows shorter than those} */
  private int lanes(int columns) {
    int count = lanes;
    while (count > columns && count > MIN_LANES) {
      count /= 2;
    }
    return count;
  }

  /** {@return a tile of as many vectors as rows have, if their sums fit into the registers} */
  private Tile tileInPlace() {
    int rows = Math.ceilDiv(product.rows(), Math.ceilDiv(product.rows(), MicroKernelSet.ROWS));
    int count = lanes(product.columns());
    int maxVectors = product.rows() == 1 ? MAX_VECTORS_OF_ROW : MAX_VECTORS;
    int sums = MicroKernelSet.ROWS * vectors();
    return new Tile(
        rows, Math.min(Math.min(maxVectors, sums / rows), product.columns() / count), count);
  }

  /** {@return the number of vectors of a full tile, whose sums have registers} */
  private int vectors() {
    return Machine.registers(vectorBits) / 8;
  }

  /** {@return a plan that reads both sides alike} */
  private static GemmPlan alike(Split split, Packing both, KBlocks kBlocks, Tile tile) {
    return new GemmPlan(Along.COLUMNS, split, both, both, false, false, kBlocks, 1, tile);
  }

  /** {@return whether vectors are off, or tiles would be half empty and take long to pack} */
  private boolean arePlainLoopsFastest() {
    return lanes == 0
        || (2 * product.columns() <= lanes
            && product.k() <= FEW_STEPS
            && product.rows() >= MANY_ROWS);
  }

  private GemmPlan packed(boolean canReadInPlace, KBlocks kBlocks) {
    boolean isInPlace = canReadInPlace && !isFasterPacked();
    boolean isRightInPlace = hasFewRows() && hasPanelsInPlace();
    Tile tile =
        isRightInPlace && !keepsRight()
            ? tileInPlace()
            : new Tile(
                MicroKernelSet.hasFixedStrides(isInPlace, vectorBits)
                    ? MicroKernelSet.ROWS_OF_FIXED_STRIDES
                    : MicroKernelSet.ROWS,
                vectors(),
                // Of the shortest vectors that hold a row, or of the longest ones.
                lanes(2 * Math.min(lanes, product.columns()) - 1));
    double minWork = product.batches() > 1 ? MIN_PARALLEL_BATCH_WORK : Machine.MIN_PARALLEL_WORK;
    boolean isShared = product.work() >= minWork * product.batches();
    boolean loopsOverColumnsFirst = isRightInPlace || (isShared && hasPanels(tile, isInPlace));
    return new GemmPlan(
        Along.COLUMNS,
        isShared
            ? loopsOverColumnsFirst ? Split.COLUMNS : Split.ROWS
            : product.batches() > 1 ? Split.BATCHES : Split.NONE,
        isInPlace
            ? Packing.IN_PLACE
            : isShared && loopsOverColumnsFirst ? Packing.SHARED : Packing.PER_THREAD,
        keepsRight()
            ? Packing.CONSTANT
            : isRightInPlace
                ? Packing.IN_PLACE
                : isShared && !loopsOverColumnsFirst ? Packing.SHARED : Packing.PER_THREAD,
        false,
        config.right() != null && product.hasContiguousRowsB(),
        kBlocks,
        1,
        tile);
  }

  /** {@return whether contiguous rows are packed, since tiles read fixed strides faster} */
  private boolean isFasterPacked() {
    return MicroKernelSet.hasFixedStrides(false, vectorBits)
        && !hasFewRows()
        && product.stepsA().isContiguous()
        && product.columns() >= MIN_COLUMNS_OF_PACKED_ROWS;
  }

  private boolean hasFewRows() {
    return product.rows() <= MicroKernelSet.ROWS;
  }

  /** {@return whether to keep the packed right side} Few rows read a narrow one faster as it is. */
  private boolean keepsRight() {
    return config.isRightFixed()
        && FixedRhs.fits(product)
        && !(hasFewRows() && config.right() != null);
  }

  /** {@return whether all rows fit a cache, packed, and there are panels for all threads} */
  private boolean hasPanels(Tile tile, boolean isInPlace) {
    boolean isByRows = isInPlace || product.hasRunsOfSteps();
    return !hasFewRows()
        && product.rows() <= (isByRows ? MAX_ROWS_OF_PANELS : PackedLhs.MAX_ROWS_PACKED_BY_STEPS)
        && product.columns() / tile.width() >= MIN_PANELS;
  }

  // ---- lanes are features

  private GemmPlan depthwise() {
    boolean isLong = product.k() > KBlocks.MAX;
    int run = isLong ? product.stepsA().commonRun(product.stepsB()) : product.k();
    KBlocks kBlocks = KBlocks.of(product.k(), run, KBlocks.MAX);
    boolean isSplit = isLong && product.k() > product.rows();
    int count = product.columns() < lanes(product.columns()) ? 0 : lanes(product.columns());
    boolean isShared = product.work() >= Machine.SMALL_PRODUCT_GRAIN;
    int rows =
        DepthwiseShape.maxPixels(
            config.accumulatorType(),
            DepthwiseGemm.taps(config, kBlocks),
            Machine.registers(vectorBits));
    return new GemmPlan(
        Along.FEATURES,
        isSplit ? Split.STEPS : isShared ? Split.ROWS : Split.NONE,
        Packing.IN_PLACE,
        product.columnsB().isContiguous() ? Packing.IN_PLACE : Packing.SHARED,
        false,
        false,
        kBlocks,
        isSplit ? depthwiseParts(kBlocks.count()) : 1,
        new Tile(rows, 1, count));
  }

  private int depthwiseParts(int blocks) {
    int room = Math.max(1, MAX_DEPTHWISE_SUMS / (product.rows() * product.columns()));
    double shared = Math.clamp(product.work() / DEPTHWISE_PART, 1, MAX_PARTS);
    double accurate = Math.ceilDiv(blocks, KBlocks.MAX);
    return (int) Math.min(Math.min(Math.max(shared, accurate), room), blocks);
  }
}
