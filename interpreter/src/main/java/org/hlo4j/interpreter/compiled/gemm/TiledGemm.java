package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Packing;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Split;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.jspecify.annotations.Nullable;

/**
 * A product by vector tiles. All threads together pack the right side once, into panels of the
 * width of a tile; blocks of rows of the left side are packed by the thread that multiplies them.
 */
final class TiledGemm {
  private static final int MAX_PACKED = 1 << 22;
  private static final int MAX_RESULT = 1 << 17;
  private static final int MIN_ROWS = 2 * MicroKernelSet.ROWS;
  private static final int ENOUGH_CHUNKS = 8;
  private static final int MANY_CHUNKS = 16;
  private static final double CHUNK = 1 << 20;

  private final GemmProblem product;
  private final GemmPlan plan;
  private final MicroKernelSet microKernels;
  private final KBlocks kBlocks;
  private final MacroKernel macroKernel;
  private final @Nullable PackedLhsGemm packedLhsGemm;
  private final @Nullable FixedRhs fixedRhs;

  TiledGemm(GemmConfig config, GemmPlan plan, @Nullable FixedRhs fixedRhs) {
    this.product = config.product();
    this.plan = plan;
    this.microKernels = new MicroKernelSet(config, plan);
    this.kBlocks = plan.kBlocks();
    this.macroKernel = new MacroKernel(microKernels, product, kBlocks);
    this.fixedRhs = fixedRhs;
    this.packedLhsGemm =
        plan.isByPanels() ? new PackedLhsGemm(product, plan, microKernels, macroKernel) : null;
  }

  /**
   * {@return whether all tiles that the product needs are ready} Starts the warm-up of those that
   * are not, if there is enough work for them.
   *
   * @param work the number of multiply-adds that are to be done
   */
  boolean isReady(double work) {
    return microKernels.isReady(work);
  }

  /** {@return the packed right side, once all runs read it in place of the operand} */
  @Nullable FixedRhs packedRight() {
    return fixedRhs != null && fixedRhs.isPacked() && isReady(0) ? fixedRhs : null;
  }

  void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    double each = product.work() / product.batches();
    Parallel.forRange(
        context,
        plan.split() == Split.BATCHES,
        product.batches(),
        Math.max(1, (int) Math.ceil(Machine.MIN_PARALLEL_WORK / each)),
        (first, end) -> {
          for (int batch = first; batch < end; batch++) {
            run(GemmMatrices.of(product, a, b, c, epilogue, batch), context);
          }
        });
  }

  /**
   * Computes one matrix, in parts of the right side that are as large as may be packed at a time.
   */
  private void run(GemmMatrices matrices, KernelContext context) {
    @Nullable Panels fixed =
        fixedRhs == null ? null : fixedRhs.panels(microKernels, matrices, context);
    if (packedLhsGemm != null) {
      packedLhsGemm.run(matrices, fixed, context);
      return;
    }
    int blocks = blocksAtOnce();
    int width = plan.tile().width();
    int columns =
        fixed != null
            ? product.columns()
            : MAX_PACKED / Math.max(1, blocks * kBlocks.maxLength()) / width * width;
    for (int j = 0; j < product.columns(); j += columns) {
      int end = Math.min(product.columns(), j + columns);
      for (int block = 0; block < kBlocks.count(); block += blocks) {
        int last = Math.min(kBlocks.count(), block + blocks);
        if (fixed != null) {
          multiply(matrices, fixed, context, block, last);
        } else {
          part(matrices, context, j, end, block, last);
        }
      }
    }
  }

  private int blocksAtOnce() {
    return microKernels.isInPlace()
        ? PackedLhs.blocksInPlace(kBlocks)
        : PackedLhs.blocks(microKernels.shape());
  }

  /** Packs a part of the right side, by the threads that share the rows, and multiplies with it. */
  private void part(GemmMatrices matrices, KernelContext context, int j0, int j1, int b0, int b1) {
    AccumulatorType accumulatorType = microKernels.shape().accumulatorType();
    int k0 = kBlocks.start(b0);
    int k1 = kBlocks.end(b1 - 1);
    int size = (k1 - k0) * microKernels.roundUpToVectors(j1 - j0);
    boolean isShared = plan.right() == Packing.SHARED;
    AlignedBuffer buffer =
        isShared
            ? SharedWorkspace.borrow(accumulatorType, size)
            : ThreadWorkspace.of(accumulatorType).buffer(size);
    buffer.realign(microKernels.shape(), microKernels.copier());
    Panels panels = Panels.of(microKernels, buffer, j0, j1, k0, k1);
    panels.pack(matrices, context, !isShared);
    multiply(matrices, panels, context, b0, b1);
    if (isShared) {
      SharedWorkspace.release(accumulatorType, buffer);
    }
  }

  private void multiply(
      GemmMatrices matrices, Panels panels, KernelContext context, int b0, int b1) {
    RowPieces rows = rows(b1 - b0, panels.count());
    int columnChunks = Math.min(panels.count(), columnChunks(rows, panels));
    Parallel.forChunks(
        context,
        plan.split() == Split.ROWS,
        rows.count() * columnChunks,
        chunk -> {
          int i = chunk % rows.count();
          int p = chunk / rows.count();
          int p0 = panels.count() * p / columnChunks;
          int p1 = panels.count() * (p + 1) / columnChunks;
          macroKernel.run(matrices, panels, rows.start(i), rows.end(i), p0, p1, b0, b1);
          if (b1 == kBlocks.count()) {
            int j1 = panels.column(p1 - 1) + panels.columns(p1 - 1);
            matrices.runEpilogue(product, rows.start(i), rows.end(i), panels.column(p0), j1);
          }
        });
  }

  private RowPieces rows(int blocks, int panels) {
    int maxRows = PackedLhs.rows(microKernels, blocks);
    int run = product.rowsA().stridedRunLength();
    int each = Math.ceilDiv(product.rows(), Math.ceilDiv(enoughChunks(), panels));
    if (microKernels.isInPlace() && run != product.rows()) {
      return RowPieces.balanced(product.rows(), run, Math.min(each, maxRows));
    }
    return RowPieces.balanced(
        product.rows(),
        MicroKernelSet.ROWS,
        Math.clamp(each, MIN_ROWS, Math.max(MIN_ROWS, maxRows)));
  }

  /**
   * {@return the number of chunks to aim for} If rows are not packed for each chunk, there are
   * many, so that threads finish together.
   */
  private int enoughChunks() {
    long chunks = (long) (product.work() / product.batches() / CHUNK);
    return microKernels.isInPlace()
        ? Math.clamp(chunks, ENOUGH_CHUNKS, MANY_CHUNKS)
        : ENOUGH_CHUNKS;
  }

  private int columnChunks(RowPieces rows, Panels panels) {
    int enough = Math.ceilDiv(enoughChunks(), rows.count());
    double result = (double) rows.maxRows() * panels.count() * microKernels.shape().width();
    return macroKernel.storesDirectly()
        ? enough
        : Math.max(enough, (int) Math.ceil(result / MAX_RESULT));
  }
}
