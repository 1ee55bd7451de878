package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.Parallel;
import org.jspecify.annotations.Nullable;

/**
 * A product with a moderate number of rows. All threads together pack the whole left side once,
 * unless it is read in place. Panels of the right side are packed, and widened if they have a
 * narrow type, by the thread that multiplies them, so that they never leave its cache. If there are
 * few rows, panels are read in place, several at a time.
 */
final class PackedLhsGemm {
  private static final int MAX_PACKED_BYTES = 600_000;
  private static final int ROWS_AT_ONCE = 32;
  private static final int ENOUGH_CHUNKS = 8;

  /** The number of rows of the right side that memory can deliver at a time. */
  private static final int STEPS_AT_ONCE = 64;

  /** The maximum number of panels that are read or widened together, so that runs are long. */
  private static final int MAX_PANELS_IN_PLACE = 16;

  private static final int MAX_PANELS_WIDENED = 4;

  private final GemmProblem product;
  private final boolean isParallel;
  private final MicroKernelSet microKernels;
  private final KBlocks kBlocks;
  private final MacroKernel macroKernel;

  PackedLhsGemm(
      GemmProblem product, GemmPlan plan, MicroKernelSet microKernels, MacroKernel macroKernel) {
    this.product = product;
    this.isParallel = plan.split() == GemmPlan.Split.COLUMNS;
    this.microKernels = microKernels;
    this.kBlocks = plan.kBlocks();
    this.macroKernel = macroKernel;
  }

  private boolean hasFewRows() {
    return product.rows() <= MicroKernelSet.FEW_ROWS;
  }

  /** {@return the number of panels of the right side that a thread takes at a time} */
  private int panelsAtOnce(@Nullable Panels fixed) {
    int panels = Math.ceilDiv(product.columns(), microKernels.shape().width());
    int most = microKernels.widenings() == null ? MAX_PANELS_IN_PLACE : MAX_PANELS_WIDENED;
    return fixed == null && hasFewRows()
        ? Math.clamp(Math.ceilDiv(panels, ENOUGH_CHUNKS), 2, most)
        : 1;
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
  void run(GemmMatrices matrices, @Nullable Panels fixed, KernelContext context) {
    int blocks = blocksAtOnce();
    for (int block = 0; block < kBlocks.count(); block += blocks) {
      int end = Math.min(kBlocks.count(), block + blocks);
      new Part(matrices, fixed, context, block, end).run();
    }
  }

  /** Some blocks of steps of one matrix. */
  private final class Part {
    private final GemmMatrices matrices;
    private final @Nullable Panels fixed;
    private final KernelContext context;
    private final int b0;
    private final int b1;

    Part(GemmMatrices matrices, @Nullable Panels fixed, KernelContext context, int b0, int b1) {
      this.matrices = matrices;
      this.fixed = fixed;
      this.context = context;
      this.b0 = b0;
      this.b1 = b1;
    }

    void run() {
      AccumulatorType type = microKernels.shape().accumulatorType();
      int rows = product.rows();
      if (microKernels.isInPlace()) {
        multiply(new PackedLhs(microKernels, product, matrices, matrices.a(), 0, rows));
        return;
      }
      int size = PackedLhs.size(microKernels, rows, b1 - b0);
      if (hasFewRows() && size <= PackedLhs.SIZE) {
        Object own = ThreadWorkspace.of(type).left();
        PackedLhs left = new PackedLhs(microKernels, product, matrices, own, 0, rows);
        for (int block = b0; block < b1; block++) {
          left.pack(block - b0, kBlocks.start(block), kBlocks.end(block));
        }
        multiply(left);
        return;
      }
      AlignedBuffer buffer = SharedWorkspace.borrow(type, size);
      PackedLhs left = new PackedLhs(microKernels, product, matrices, buffer.array(), 0, rows);
      int pieces = Math.ceilDiv(rows, ROWS_AT_ONCE);
      Parallel.forChunks(
          context,
          isParallel,
          pieces * (b1 - b0),
          chunk -> {
            int block = chunk / pieces;
            int i = chunk % pieces * ROWS_AT_ONCE;
            int k0 = kBlocks.start(b0 + block);
            left.pack(block, k0, kBlocks.end(b0 + block), i, Math.min(rows, i + ROWS_AT_ONCE));
          });
      multiply(left);
      SharedWorkspace.release(type, buffer);
    }

    private void multiply(PackedLhs left) {
      int width = microKernels.shape().width();
      Parallel.forRange(
          context,
          isParallel,
          product.columns(),
          panelsAtOnce(fixed) * width,
          (j0, j1) -> {
            if (fixed != null) {
              int p = j0 / width;
              run(left, fixed, p, p + 1);
            } else {
              int whole = microKernels.readsRightInPlace() ? (j1 - j0) / width * width : 0;
              if (whole > 0) {
                multiplyInOrder(left, j0, j0 + whole);
              }
              if (whole < j1 - j0) {
                Panels panels = packed(j0 + whole, j1);
                run(left, panels, 0, panels.count());
              }
            }
            if (b1 == kBlocks.count()) {
              matrices.runEpilogue(product, 0, product.rows(), j0, j1);
            }
          });
    }

    private void run(PackedLhs left, Panels panels, int p0, int p1) {
      macroKernel.run(matrices, left, panels, 0, product.rows(), p0, p1, b0, b1);
    }

    /**
     * Multiplies whole panels, in place or widened, in the order of memory: few rows of the right
     * side at a time. Each block of steps is one sum, added to the result in the end.
     */
    private void multiplyInOrder(PackedLhs left, int j0, int j1) {
      ThreadWorkspace own = ThreadWorkspace.of(microKernels.shape().accumulatorType());
      int columns = j1 - j0;
      Object sums = own.result(product.rows() * columns);
      MatrixPart part =
          new MatrixPart(product.rowsC(), 0, product.rows(), product.columnsC(), j0, j1);
      for (int block = b0; block < b1; block++) {
        for (int k = kBlocks.start(block); k < kBlocks.end(block); k += STEPS_AT_ONCE) {
          Limits.checkCurrent();
          int end = Math.min(kBlocks.end(block), k + STEPS_AT_ONCE);
          multiply(left, block, panels(j0, j1, k, end), k, end, sums, columns);
        }
        MatrixCopies.of(microKernels.shape().accumulatorType())
            .scatter(sums, 0, columns, matrices.c(), matrices.cBase(), part, block > 0);
      }
    }

    private Panels panels(int j0, int j1, int k0, int k1) {
      if (microKernels.widenings() == null || matrices.b() instanceof float[]) {
        return Panels.inPlace(microKernels, matrices, j0, j1);
      }
      int size = Panels.widenedSize(j1 - j0, STEPS_AT_ONCE);
      Object to = ThreadWorkspace.of(AccumulatorType.F32).buffer(size).array();
      return Panels.widened(microKernels, matrices, to, j0, j1, k0, k1);
    }

    private void multiply(
        PackedLhs left, int block, Panels panels, int k0, int k1, Object sums, int columns) {
      int first = kBlocks.start(block);
      int stepStride = microKernels.shape().stepStride();
      int position = left.position(0, block - b0, first) + (k0 - first) * stepStride;
      for (int panel = 0; panel < panels.count(); panel++) {
        microKernels
            .inPlace()
            .run(
                left.array(),
                position,
                left.stride(),
                stepStride,
                panels.array(),
                panels.position(panel, k0),
                panels.stride(),
                sums,
                panel * microKernels.shape().width(),
                columns,
                k1 - k0,
                k0 > first);
      }
    }

    /** {@return panels of the right side, packed for this thread} */
    private Panels packed(int j0, int j1) {
      int k0 = kBlocks.start(b0);
      int k1 = kBlocks.end(b1 - 1);
      AlignedBuffer buffer =
          ThreadWorkspace.of(microKernels.shape().accumulatorType())
              .buffer((k1 - k0) * microKernels.roundUpToVectors(j1 - j0));
      buffer.realign(microKernels.shape(), microKernels.copier());
      Panels panels = Panels.of(microKernels, buffer, j0, j1, k0, k1);
      panels.pack(matrices);
      return panels;
    }
  }
}
