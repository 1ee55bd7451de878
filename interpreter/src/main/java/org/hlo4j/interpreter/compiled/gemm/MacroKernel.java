package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.Limits;

/**
 * The loops around the micro-kernels, which multiply rows of the left side with panels of the right
 * side. The rows are packed for some blocks of the contracting dimension first. Then each tile of
 * the result is computed for all of these blocks, so that it stays in the cache meanwhile.
 */
final class MacroKernel {
  private final MicroKernelSet microKernels;
  private final GemmProblem product;
  private final MatrixCopies copies;
  private final KBlocks kBlocks;
  private final boolean storesDirectly;

  MacroKernel(MicroKernelSet microKernels, GemmProblem product, KBlocks kBlocks) {
    this.microKernels = microKernels;
    this.product = product;
    this.copies = MatrixCopies.of(microKernels.shape().accumulatorType());
    this.kBlocks = kBlocks;
    this.storesDirectly = product.columnsC().isContiguous() && product.rowsC().hasConstantStride();
  }

  /** {@return whether tiles that fit store to the result itself} */
  boolean storesDirectly() {
    return storesDirectly;
  }

  /**
   * Packs rows i0 to i1 of the left side and multiplies them with panels p0 to p1 in blocks b0 to
   * b1. The ends are exclusive.
   */
  void run(GemmMatrices matrices, Panels panels, int i0, int i1, int p0, int p1, int b0, int b1) {
    ThreadWorkspace own = ThreadWorkspace.of(microKernels.shape().accumulatorType());
    PackedLhs left = new PackedLhs(microKernels, product, matrices, own.left(), i0, i1);
    for (int block = b0; block < b1; block++) {
      left.pack(block - b0, kBlocks.start(block), kBlocks.end(block));
    }
    run(matrices, left, panels, i0, i1, p0, p1, b0, b1);
  }

  /** Multiplies a left side that is packed already. */
  void run(
      GemmMatrices matrices,
      PackedLhs left,
      Panels panels,
      int i0,
      int i1,
      int p0,
      int p1,
      int b0,
      int b1) {
    ThreadWorkspace own = ThreadWorkspace.of(microKernels.shape().accumulatorType());
    if (storesDirectly) {
      int stride = product.rowsC().stride();
      int start = matrices.cBase() + i0 * stride + panels.column(p0);
      new Target(left, panels, own.edgeTile(), matrices.c(), start, stride)
          .run(i0, i1, p0, p1, b0, b1);
      return;
    }
    int j0 = panels.column(p0);
    int j1 = panels.column(p1 - 1) + panels.columns(p1 - 1);
    int stride = microKernels.roundUpToVectors(j1 - j0);
    Object to = own.result((i1 - i0) * stride);
    MatrixPart part = new MatrixPart(product.rowsC(), i0, i1, product.columnsC(), j0, j1);
    if (b0 > 0) {
      copies.gather(matrices.c(), matrices.cBase(), part, to, 0, stride);
    }
    new Target(left, panels, own.edgeTile(), to, 0, stride).run(i0, i1, p0, p1, b0, b1);
    copies.scatter(to, 0, stride, matrices.c(), matrices.cBase(), part, false);
  }

  /** The destination of the sums: the result itself, or an array with rows of whole vectors. */
  private final class Target {
    private final PackedLhs left;
    private final Panels panels;
    private final Object edgeTile;
    private final Object to;
    private final int start;
    private final int stride;

    Target(PackedLhs left, Panels panels, Object edgeTile, Object to, int start, int stride) {
      this.left = left;
      this.panels = panels;
      this.edgeTile = edgeTile;
      this.to = to;
      this.start = start;
      this.stride = stride;
    }

    void run(int i0, int i1, int p0, int p1, int b0, int b1) {
      for (int panel = p0; panel < p1; panel++) {
        if (panel > p0) {
          Limits.checkCurrent();
        }
        int at = start + (panel - p0) * microKernels.shape().width();
        for (int i = i0; i < i1; i += left.rowsOfTile(i)) {
          tile(i, at + (i - i0) * stride, panel, b0, b1);
        }
      }
    }

    /** Computes one tile of the result, for all blocks of steps. */
    private void tile(int i, int at, int panel, int b0, int b1) {
      int rows = left.rowsOfTile(i);
      int columns = panels.columns(panel);
      int width = microKernels.roundUpToVectors(columns);
      MicroKernel microKernel = microKernels.microKernel(rows, columns);
      if (microKernels.isExact(rows) && (width == columns || !storesDirectly)) {
        for (int block = b0; block < b1; block++) {
          multiply(microKernel, i, panel, block, block - b0, to, at, stride, block > 0);
        }
        return;
      }
      MatrixPart part =
          new MatrixPart(
              DimensionOffsets.strided(rows, stride),
              0,
              rows,
              DimensionOffsets.strided(columns, 1),
              0,
              columns);
      if (b0 > 0) {
        copies.gather(to, at, part, edgeTile, 0, width);
      }
      for (int block = b0; block < b1; block++) {
        multiply(microKernel, i, panel, block, block - b0, edgeTile, 0, width, block > 0);
      }
      copies.scatter(edgeTile, 0, width, to, at, part, false);
    }

    private void multiply(
        MicroKernel microKernel,
        int i,
        int panel,
        int block,
        int slot,
        Object to,
        int at,
        int stride,
        boolean add) {
      int k = kBlocks.start(block);
      microKernel.run(
          left.array(),
          left.position(i, slot, k),
          left.stride(),
          microKernels.shape().stepStride(),
          panels.array(),
          panels.position(panel, k),
          0,
          to,
          at,
          stride,
          kBlocks.end(block) - k,
          add);
    }
  }
}
