package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.jspecify.annotations.Nullable;

/**
 * A product with a moderate number of rows. All threads together pack the whole left side once,
 * unless it is read in place. Panels of the right side are packed by the thread that multiplies
 * them, so that they never leave its cache.
 */
final class PackedLhsGemm {
  private static final int MAX_ROWS = 256;
  private static final int MAX_ROWS_PACKED_BY_STEPS = 96;
  private static final int MAX_PACKED_BYTES = 600_000;
  private static final int MIN_PANELS = 4;
  private static final int ROWS_AT_ONCE = 32;

  private final GemmProblem product;
  private final MicroKernelSet microKernels;
  private final KBlocks kBlocks;
  private final MacroKernel macroKernel;

  PackedLhsGemm(
      GemmProblem product, MicroKernelSet microKernels, KBlocks kBlocks, MacroKernel macroKernel) {
    this.product = product;
    this.microKernels = microKernels;
    this.kBlocks = kBlocks;
    this.macroKernel = macroKernel;
  }

  static boolean fits(GemmProblem product, MicroKernelSet microKernels) {
    int maxRows = microKernels.isLeftByRows() ? MAX_ROWS : MAX_ROWS_PACKED_BY_STEPS;
    return product.rows() <= maxRows
        && product.columns() >= MIN_PANELS * microKernels.shape().width();
  }

  /** {@return the number of blocks of steps for which the packed left side fits the cache} */
  private int blocksAtOnce() {
    if (microKernels.isInPlace()) {
      return PackedLhs.blocksInPlace(kBlocks);
    }
    int room = MAX_PACKED_BYTES * Byte.SIZE / microKernels.shape().accumulatorType().bits();
    return Math.max(
        PackedLhs.blocks(microKernels.shape()),
        room / PackedLhs.size(microKernels, product.rows(), 1));
  }

  /**
   * Computes one matrix.
   *
   * @param fixed the right side, if it is kept packed
   */
  void run(GemmMatrices matrices, @Nullable PackedRhs fixed, KernelContext context) {
    int blocks = blocksAtOnce();
    for (int block = 0; block < kBlocks.count(); block += blocks) {
      run(matrices, fixed, context, block, Math.min(kBlocks.count(), block + blocks));
    }
  }

  private void run(
      GemmMatrices matrices, @Nullable PackedRhs fixed, KernelContext context, int b0, int b1) {
    AccumulatorType accumulatorType = microKernels.shape().accumulatorType();
    int rows = product.rows();
    int size = PackedLhs.size(microKernels, rows, b1 - b0);
    if (microKernels.isInPlace()) {
      PackedLhs left = new PackedLhs(microKernels, product, matrices, matrices.a(), 0, rows);
      multiply(matrices, left, fixed, context, b0, b1);
      return;
    }
    AlignedBuffer buffer = SharedWorkspace.borrow(accumulatorType, size);
    PackedLhs left = new PackedLhs(microKernels, product, matrices, buffer.array(), 0, rows);
    int pieces = Math.ceilDiv(rows, ROWS_AT_ONCE);
    Parallel.forChunks(
        context,
        pieces * (b1 - b0),
        chunk -> {
          int block = chunk / pieces;
          int i = chunk % pieces * ROWS_AT_ONCE;
          int k0 = kBlocks.start(b0 + block);
          left.pack(block, k0, kBlocks.end(b0 + block), i, Math.min(rows, i + ROWS_AT_ONCE));
        });
    multiply(matrices, left, fixed, context, b0, b1);
    SharedWorkspace.release(accumulatorType, buffer);
  }

  private void multiply(
      GemmMatrices matrices,
      PackedLhs left,
      @Nullable PackedRhs fixed,
      KernelContext context,
      int b0,
      int b1) {
    int width = microKernels.shape().width();
    Parallel.forRange(
        context,
        product.columns(),
        width,
        (j0, j1) -> {
          if (fixed == null) {
            PackedRhs own = packed(matrices, j0, j1, b0, b1);
            macroKernel.run(matrices, left, own, 0, product.rows(), 0, own.count(), b0, b1);
          } else {
            int p = j0 / width;
            macroKernel.run(matrices, left, fixed, 0, product.rows(), p, p + 1, b0, b1);
          }
          if (b1 == kBlocks.count()) {
            matrices.runEpilogue(product, 0, product.rows(), j0, j1);
          }
        });
  }

  /** {@return a panel of the right side, packed for this thread} */
  private PackedRhs packed(GemmMatrices matrices, int j0, int j1, int b0, int b1) {
    int k0 = kBlocks.start(b0);
    int k1 = kBlocks.end(b1 - 1);
    AlignedBuffer buffer =
        ThreadWorkspace.of(microKernels.shape().accumulatorType())
            .buffer((k1 - k0) * microKernels.roundUpToVectors(j1 - j0));
    buffer.realign(microKernels.shape(), microKernels.copier());
    PackedRhs panels = new PackedRhs(microKernels, product, buffer, j0, j1, k0, k1);
    for (int chunk = 0; chunk < panels.chunks(); chunk++) {
      panels.pack(matrices, chunk);
    }
    return panels;
  }
}
