package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Packing;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Split;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.jspecify.annotations.Nullable;

/**
 * A product by vector tiles. All threads together pack one side, unless it is read in place or is
 * packed already. The other one is packed by the thread that multiplies it: blocks of rows of the
 * left side, or panels of the right side, so that they never leave its cache.
 */
final class TiledGemm {
  private static final int MAX_PACKED = 1 << 22;
  private static final int MAX_LEFT_BYTES = 600_000;
  private static final int MAX_RESULT = 1 << 17;
  private static final int MIN_ROWS = 2 * MicroKernelSet.ROWS;
  private static final int ENOUGH_CHUNKS = 8;
  private static final int MANY_CHUNKS = 16;
  private static final double CHUNK = 1 << 20;

  /** The maximum number of panels that few rows read together, so that runs are long. */
  private static final int MAX_PANELS_IN_PLACE = 16;

  private final GemmProblem product;
  private final GemmPlan plan;
  private final AccumulatorType accumulatorType;
  private final MicroKernelSet tiles;
  private final KBlocks kBlocks;
  private final boolean isUnpacked;
  private final @Nullable FixedRhs fixedRhs;

  TiledGemm(GemmConfig config, GemmPlan plan, @Nullable FixedRhs fixedRhs) {
    this.product = config.product();
    this.plan = plan;
    this.accumulatorType = config.accumulatorType();
    this.tiles = new MicroKernelSet(config, plan);
    this.kBlocks = plan.kBlocks();
    this.fixedRhs = fixedRhs;
    this.isUnpacked =
        plan.split() != Split.COLUMNS
            && plan.left() == Packing.IN_PLACE
            && plan.right() == Packing.IN_PLACE
            && kBlocks.count() == 1
            && product.columns() % plan.tile().lanes() == 0;
  }

  /**
   * {@return whether all tiles that the product needs are ready} Starts the warm-up of those that
   * are not, if there is enough work for them.
   *
   * @param work the number of multiply-adds that are to be done
   */
  boolean isReady(double work) {
    return tiles.isReady(work);
  }

  /** {@return the packed right side, once all runs read it in place of the operand} */
  @Nullable FixedRhs packedRight() {
    return fixedRhs != null && fixedRhs.isPacked() && isReady(0) ? fixedRhs : null;
  }

  void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    if (isUnpacked && product.batches() == 1) {
      context.checkLimits();
      runUnpacked(GemmMatrices.of(product, a, b, c, epilogue, 0));
      return;
    }
    double each = product.work() / product.batches();
    Parallel.forRange(
        context,
        plan.split() == Split.BATCHES,
        product.batches(),
        (int) Math.ceil(Machine.SMALL_PRODUCT_GRAIN / each),
        (first, end) -> {
          for (int batch = first; batch < end; batch++) {
            GemmMatrices matrices = GemmMatrices.of(product, a, b, c, epilogue, batch);
            if (isUnpacked) {
              runUnpacked(matrices);
            } else {
              run(matrices, context);
            }
          }
        });
  }

  /** Computes one small matrix, with both sides in place. */
  private void runUnpacked(GemmMatrices matrices) {
    PackedLhs left = PackedLhs.inPlace(product, matrices);
    Panels right = Panels.inPlace(tiles, matrices, product.columns());
    new MacroKernel(tiles, matrices, left, right, 0, 1)
        .run(0, product.rows(), 0, product.columns());
    matrices.runEpilogue(product, 0, product.rows(), 0, product.columns());
  }

  /** Computes one matrix, in parts of both sides that are as large as may be packed at a time. */
  private void run(GemmMatrices matrices, KernelContext context) {
    @Nullable Panels fixed = fixedRhs == null ? null : fixedRhs.panels(tiles, matrices, context);
    int blocks = blocksAtOnce();
    int width = plan.tile().width();
    int columns =
        plan.isByPanels() || fixed != null
            ? product.columns()
            : MAX_PACKED / Math.max(1, blocks * kBlocks.maxLength()) / width * width;
    for (int j = 0; j < product.columns(); j += columns) {
      int end = Math.min(product.columns(), j + columns);
      for (int block = 0; block < kBlocks.count(); block += blocks) {
        int last = Math.min(kBlocks.count(), block + blocks);
        new Part(matrices, context, j, end, block, last).run(fixed);
      }
    }
  }

  /** {@return the number of blocks of steps for which the left side fits the cache} */
  private int blocksAtOnce() {
    int room = MAX_LEFT_BYTES * Byte.SIZE / accumulatorType.bits();
    int fit = room / PackedLhs.size(tiles, product.rows(), KBlocks.MAX);
    return Math.max(PackedLhs.blocks(kBlocks), plan.split() == Split.COLUMNS ? fit : 0);
  }

  /** Some columns of one matrix, for some blocks of steps. */
  private final class Part {
    private final GemmMatrices matrices;
    private final KernelContext context;
    private final int j0;
    private final int j1;
    private final int b0;
    private final int b1;

    Part(GemmMatrices matrices, KernelContext context, int j0, int j1, int b0, int b1) {
      this.matrices = matrices;
      this.context = context;
      this.j0 = j0;
      this.j1 = j1;
      this.b0 = b0;
      this.b1 = b1;
    }

    /** Packs the side that is used by all chunks, and multiplies with it. */
    void run(@Nullable Panels fixed) {
      if (plan.left() == Packing.SHARED) {
        int size = PackedLhs.size(tiles, product.rows(), steps(b0, b1));
        AlignedBuffer buffer = SharedWorkspace.borrow(accumulatorType, size);
        multiply(packed(buffer.array(), 0, product.rows(), true), fixed);
        SharedWorkspace.release(accumulatorType, buffer);
      } else if (fixed != null || plan.isByPanels()) {
        multiply(null, fixed);
      } else {
        int size = Panels.size(tiles, j1 - j0, steps(b0, b1));
        boolean isShared = plan.right() == Packing.SHARED;
        AlignedBuffer buffer =
            isShared
                ? SharedWorkspace.borrow(accumulatorType, size)
                : tiles.workspace().buffer(size);
        multiply(null, packed(buffer, j0, j1, b0, b1, isShared));
        if (isShared) {
          SharedWorkspace.release(accumulatorType, buffer);
        }
      }
    }

    private int steps(int first, int last) {
      return kBlocks.end(last - 1) - kBlocks.start(first);
    }

    private PackedLhs packed(Object array, int i0, int i1, boolean isParallel) {
      if (tiles.isInPlace) {
        return PackedLhs.inPlace(product, matrices);
      }
      PackedLhs left = PackedLhs.of(tiles, array, i0, i1, kBlocks.start(b0), kBlocks.end(b1 - 1));
      left.pack(tiles, matrices, context, isParallel);
      return left;
    }

    private Panels packed(
        AlignedBuffer buffer, int from, int to, int first, int last, boolean isParallel) {
      if (tiles.shape.isPacked()) {
        buffer.realign(tiles);
      }
      Panels panels =
          Panels.of(tiles, buffer, from, to, kBlocks.start(first), kBlocks.end(last - 1));
      panels.pack(matrices, context, isParallel);
      return panels;
    }

    /** Multiplies in chunks of rows and columns. */
    private void multiply(@Nullable PackedLhs left, @Nullable Panels right) {
      int width = tiles.shape.width();
      int panels = Math.ceilDiv(j1 - j0, width);
      RowPieces rows =
          plan.isByPanels()
              ? new RowPieces(product.rows(), product.rows(), 1)
              : rows(b1 - b0, panels);
      int columnChunks =
          plan.isByPanels()
              ? Math.ceilDiv(panels, panelsAtOnce(panels, right))
              : columnChunks(rows, panels);
      RowPieces columns = new RowPieces(j1 - j0, width, columnChunks);
      Parallel.forChunks(
          context,
          plan.split() == Split.ROWS || plan.split() == Split.COLUMNS,
          rows.count() * columnChunks,
          chunk -> {
            int i0 = rows.start(chunk % rows.count());
            int i1 = rows.end(chunk % rows.count());
            int from = j0 + columns.start(chunk / rows.count());
            int to = j0 + columns.end(chunk / rows.count());
            PackedLhs rowsOfLeft =
                left == null ? packed(tiles.workspace().left, i0, i1, false) : left;
            multiply(rowsOfLeft, right, i0, i1, from, to);
            if (b1 == kBlocks.count()) {
              matrices.runEpilogue(product, i0, i1, from, to);
            }
          });
    }

    /** Multiplies rows i0 to i1 with columns from j to end. Packs panels if none are given. */
    private void multiply(PackedLhs left, @Nullable Panels right, int i0, int i1, int j, int end) {
      if (right != null) {
        new MacroKernel(tiles, matrices, left, right, b0, b1).run(i0, i1, j, end);
        return;
      }
      int inPlace = tiles.endInPlace(matrices, j, end);
      int blocks = hasFewRows() ? 1 : b1 - b0;
      for (int block = b0; block < b1; block += blocks) {
        int last = block + blocks;
        if (inPlace > j) {
          Panels panels = Panels.inPlace(tiles, matrices, inPlace);
          new MacroKernel(tiles, matrices, left, panels, block, last).run(i0, i1, j, inPlace);
        }
        if (inPlace < end) {
          int size = Panels.size(tiles, end - inPlace, steps(block, last));
          AlignedBuffer own = tiles.workspace().buffer(size);
          Panels panels = packed(own, inPlace, end, block, last, false);
          new MacroKernel(tiles, matrices, left, panels, block, last).run(i0, i1, inPlace, end);
        }
      }
    }
  }

  private boolean hasFewRows() {
    return product.rows() <= MicroKernelSet.ROWS;
  }

  /** {@return the number of panels of the right side that a thread takes at a time} */
  private int panelsAtOnce(int panels, @Nullable Panels packed) {
    if (plan.split() != Split.COLUMNS) {
      return panels;
    }
    return hasFewRows() && packed == null
        ? Math.clamp(Math.ceilDiv(panels, ENOUGH_CHUNKS), 2, MAX_PANELS_IN_PLACE)
        : 1;
  }

  private RowPieces rows(int blocks, int panels) {
    int unit = tiles.rowRun() == product.rows() ? tiles.shape.rows() : tiles.rowRun();
    int each = Math.ceilDiv(product.rows(), Math.ceilDiv(enoughChunks(), panels));
    int maxRows = Math.min(each, PackedLhs.rows(tiles, blocks));
    return RowPieces.balanced(product.rows(), unit, Math.max(MIN_ROWS, maxRows));
  }

  /**
   * {@return the number of chunks to aim for} If rows are not packed for each chunk, there are
   * many, so that threads finish together.
   */
  private int enoughChunks() {
    long chunks = (long) (product.work() / product.batches() / CHUNK);
    return tiles.isInPlace ? Math.clamp(chunks, ENOUGH_CHUNKS, MANY_CHUNKS) : ENOUGH_CHUNKS;
  }

  private int columnChunks(RowPieces rows, int panels) {
    double result = (double) rows.maxRows() * panels * tiles.shape.width();
    double fit = MacroKernel.storesDirectly(product) ? 1 : Math.ceil(result / MAX_RESULT);
    return Math.min(panels, Math.max((int) fit, Math.ceilDiv(enoughChunks(), rows.count())));
  }
}
