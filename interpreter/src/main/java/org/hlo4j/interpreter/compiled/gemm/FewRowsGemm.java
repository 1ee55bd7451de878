package org.hlo4j.interpreter.compiled.gemm;

import java.util.Objects;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.hlo4j.interpreter.engine.WorkCounter;
import org.jspecify.annotations.Nullable;

/** A product with few rows, which reads whole panels of the right side in place, once. */
final class FewRowsGemm {
  private static final int MAX_PANELS = 16;

  /** The maximum if they are widened: a block of them stays in the L2 cache. */
  private static final int MAX_WIDENED_PANELS = 4;

  private static final int ENOUGH_CHUNKS = 8;
  private static final int MIN_COLUMNS = 64;

  /** Padding of widened rows, which keeps them out of the same cache sets. */
  private static final int PADDING = 16;

  /** The maximum number of rows. */
  static final int MAX_ROWS = 6;

  private final GemmProblem product;
  private final MicroKernelSet microKernels;
  private final KBlocks kBlocks;
  private final MicroKernelShape shape;
  private final @Nullable Widenings widenings;
  private @Nullable MicroKernel microKernel;

  FewRowsGemm(
      GemmProblem product,
      MicroKernelSet microKernels,
      KBlocks kBlocks,
      @Nullable Widenings widenings) {
    this.product = product;
    this.microKernels = microKernels;
    this.kBlocks = kBlocks;
    this.widenings = product.columns() % microKernels.shape().width() == 0 ? widenings : null;
    this.shape =
        microKernels
            .shape()
            .withRowsAndVectors(product.rows(), microKernels.shape().vectors())
            .unpacked();
  }

  static boolean fits(GemmProblem product, MicroKernelSet microKernels) {
    return !microKernels.isInPlace()
        && product.columns() >= microKernels.shape().width()
        && fits(product);
  }

  /** {@return whether a product is of this kind, if the tiles are narrow enough} */
  static boolean fits(GemmProblem product) {
    return product.columnsB().isContiguous()
        && product.stepsB().hasConstantStride()
        && product.columnsC().isContiguous()
        && product.rowsC().hasConstantStride()
        && product.rows() <= MAX_ROWS
        && product.columns() >= MIN_COLUMNS
        && (product.rows() == 1 || product.rowsC().stride() == product.stepsB().stride());
  }

  boolean isReady(double work) {
    if (microKernel == null) {
      microKernel = MicroKernels.getIfReady(shape, work);
    }
    return microKernel != null;
  }

  /**
   * {@return whether the right side is read in its own narrow type and widened here} This requires
   * that all panels are whole.
   */
  boolean widensRight() {
    return widenings != null;
  }

  /** Computes the columns of whole panels and returns their number. */
  int run(GemmMatrices matrices, KernelContext context, boolean isSingleThreaded) {
    int panels = product.columns() / shape.width();
    int atOnce =
        Math.clamp(
            Math.ceilDiv(panels, ENOUGH_CHUNKS),
            2,
            widenings == null ? MAX_PANELS : MAX_WIDENED_PANELS);
    Parallel.forRange(
        context,
        !isSingleThreaded,
        panels,
        atOnce,
        (first, end) -> {
          run(matrices, first, end);
          matrices.runEpilogue(
              product, 0, product.rows(), first * shape.width(), end * shape.width());
        });
    return panels * shape.width();
  }

  private void run(GemmMatrices matrices, int panel0, int panel1) {
    int j = panel0 * shape.width();
    int columns = (panel1 - panel0) * shape.width();
    if (widenings == null || matrices.b() instanceof float[]) {
      int leadingDimension = product.stepsB().stride();
      Object b = matrices.b();
      RhsRows inPlace = (k, end) -> matrices.bBase() + k * leadingDimension + j;
      run(matrices, inPlace, b, matrices.c(), matrices.cBase() + j, leadingDimension, columns);
      return;
    }
    ThreadWorkspace own = ThreadWorkspace.of(shape.accumulatorType());
    int leadingDimension = columns + PADDING;
    Object strip = own.buffer(kBlocks.maxLength() * leadingDimension).array();
    Object sums = own.result(product.rows() * leadingDimension);
    RhsRows widened = (k, end) -> widen(matrices, k, end, j, columns, strip);
    run(matrices, widened, strip, sums, 0, leadingDimension, columns);
    MatrixPart part =
        new MatrixPart(product.rowsC(), 0, product.rows(), product.columnsC(), j, j + columns);
    MatrixCopies.of(shape.accumulatorType())
        .scatter(sums, 0, leadingDimension, matrices.c(), matrices.cBase(), part, false);
  }

  private int widen(GemmMatrices matrices, int k, int end, int j, int columns, Object strip) {
    int leadingDimension = product.stepsB().stride();
    int from = matrices.bBase() + k * leadingDimension + j;
    Objects.requireNonNull(widenings)
        .run(matrices.b(), from, leadingDimension, end - k, columns, strip, 0, columns + PADDING);
    return 0;
  }

  /** Returns the position of some rows of the right side, which it widens first if necessary. */
  private interface RhsRows {
    int position(int k, int end);
  }

  /** Multiplies some columns. Rows of the right side and of the result have the same stride. */
  private void run(
      GemmMatrices matrices,
      RhsRows right,
      Object b,
      Object c,
      int cStart,
      int leadingDimension,
      int columns) {
    Object packed = ThreadWorkspace.of(shape.accumulatorType()).left();
    PackedLhs left = new PackedLhs(microKernels, product, matrices, packed, 0, product.rows());
    MicroKernel whole = Objects.requireNonNull(microKernel);
    WorkCounter work = new WorkCounter();
    for (int block = 0; block < kBlocks.count(); block++) {
      int k = kBlocks.start(block);
      int end = kBlocks.end(block);
      work.add((long) (end - k) * columns);
      left.pack(0, k, end);
      int position = left.position(0, 0, k);
      int from = right.position(k, end);
      for (int j = 0; j < columns; j += shape.width()) {
        whole.run(
            left.array(),
            position,
            left.stride(),
            shape.stepStride(),
            b,
            from + j,
            leadingDimension,
            c,
            cStart + j,
            leadingDimension,
            end - k,
            block > 0);
      }
    }
  }
}
