package org.hlo4j.interpreter.compiled.gemm;

/**
 * Some rows and steps of the left side in the layout that the tiles read: packed, or in place.
 *
 * @param microKernels the tiles that read them
 * @param product the product that they are a part of
 * @param matrices the arrays of the product
 * @param packed the array for packed elements; not used if the left side is read in place
 * @param i0 the first row
 * @param i1 the end of the rows, exclusive
 */
record PackedLhs(
    MicroKernelSet microKernels,
    GemmProblem product,
    GemmMatrices matrices,
    Object packed,
    int i0,
    int i1) {
  /** The length of the array for {@link #pack}. */
  static final int SIZE = 4 * 256 * MicroKernelSet.STRIDE_OF_STEPS;

  private static final int STEPS_IN_PLACE = 1024;
  private static final int BYTES_OF_STEPS = 4096;
  private static final int BYTES_OF_ROW = 384 * 4;
  private static final int MAX_ROWS_PACKED_BY_STEPS = 96;

  /** {@return the number of blocks of steps that are packed at a time} */
  static int blocks(MicroKernelShape shape) {
    return Math.max(1, BYTES_OF_STEPS * Byte.SIZE / shape.accumulatorType().bits() / KBlocks.MAX);
  }

  /**
   * {@return the number of blocks of steps that are multiplied at a time if the left side is not
   * packed}
   */
  static int blocksInPlace(KBlocks steps) {
    return Math.max(1, STEPS_IN_PLACE / Math.max(1, steps.maxLength()));
  }

  /** {@return the maximum number of rows for the given number of blocks of steps} */
  static int rows(MicroKernelSet microKernels, int blocks) {
    int bytes = microKernels.shape().accumulatorType().bits() / Byte.SIZE;
    int atOnce = microKernels.isInPlace() ? blocks : Math.min(blocks, blocks(microKernels.shape()));
    int rows = BYTES_OF_ROW / bytes / atOnce;
    return microKernels.isLeftByRows() ? rows : Math.min(rows, MAX_ROWS_PACKED_BY_STEPS);
  }

  /**
   * {@return the packed size of rows, rounded up to full tiles, in the given number of blocks of
   * steps}
   */
  static int size(MicroKernelSet microKernels, int rows, int blocks) {
    int block =
        microKernels.isLeftByRows()
            ? Math.ceilDiv(rows, MicroKernelSet.ROWS)
                * MicroKernelSet.ROWS
                * MicroKernelSet.STRIDE_OF_ROWS
            : KBlocks.MAX * MicroKernelSet.STRIDE_OF_STEPS;
    return blocks * block;
  }

  Object array() {
    return microKernels.isInPlace() ? matrices.a() : packed;
  }

  /**
   * {@return the position of a row at step {@code k}, the first of a block}
   *
   * @param slot the index of the block among the packed ones
   */
  int position(int i, int slot, int k) {
    if (microKernels.isInPlace()) {
      return matrices.aBase() + product.rowsA().at(i) + product.stepsA().at(k);
    }
    return size(microKernels, i1 - i0, slot) + (i - i0) * stride();
  }

  /** {@return the stride of the rows} */
  int stride() {
    return microKernels.isInPlace()
        ? product.rowsA().stride()
        : microKernels.isLeftByRows() ? MicroKernelSet.STRIDE_OF_ROWS : 1;
  }

  /** {@return the number of rows of the tile that begins at row {@code i}} */
  int rowsOfTile(int i) {
    int rows = Math.min(MicroKernelSet.ROWS, i1 - i);
    int run = product.rowsA().stridedRunLength();
    return microKernels.isInPlace() ? Math.min(rows, run - i % run) : rows;
  }

  /** Packs a block of steps. */
  void pack(int slot, int k0, int k1) {
    pack(slot, k0, k1, i0, i1);
  }

  /** Packs some rows of a block of steps. */
  void pack(int slot, int k0, int k1, int from, int to) {
    if (microKernels.isInPlace()) {
      return;
    }
    boolean byRows = microKernels.isLeftByRows();
    int stride = byRows ? MicroKernelSet.STRIDE_OF_ROWS : MicroKernelSet.STRIDE_OF_STEPS;
    int at = size(microKernels, i1 - i0, slot) + (from - i0) * (byRows ? stride : 1);
    DimensionOffsets rows = product.rowsA();
    DimensionOffsets steps = product.stepsA();
    MatrixPart part =
        byRows
            ? new MatrixPart(rows, from, to, steps, k0, k1)
            : new MatrixPart(steps, k0, k1, rows, from, to);
    pack(part, at, stride);
  }

  private void pack(MatrixPart part, int to, int stride) {
    int width = microKernels.shape().width();
    int whole = part.columns().isContiguous() ? part.width() / width : 0;
    if (whole > 0) {
      for (int i = part.i0(); i < part.i1(); i++) {
        int from = matrices.aBase() + part.rows().at(i) + part.j0();
        int at = to + (i - part.i0()) * stride;
        microKernels
            .copier()
            .run(matrices.a(), from, width, 0, packed, 0, 0, packed, at, width, whole, false);
      }
    }
    int done = whole * width;
    if (done < part.width()) {
      MatrixCopies.of(microKernels.shape().accumulatorType())
          .gather(matrices.a(), matrices.aBase(), part.from(done), packed, to + done, stride);
    }
  }
}
