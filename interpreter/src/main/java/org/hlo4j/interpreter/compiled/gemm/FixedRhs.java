package org.hlo4j.interpreter.compiled.gemm;

import java.util.concurrent.locks.ReentrantLock;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Limits;
import org.jspecify.annotations.Nullable;

/**
 * The right side of a product that is the same in each run. The first run whose tiles are ready
 * packs it, whole, for all later ones.
 */
final class FixedRhs {
  /** The number of runs between two looks at whether the garbage collector moved the array. */
  private static final int SELDOM = 1 << 10;

  private static final double MAX_ELEMENTS = Integer.MAX_VALUE - 4096;

  /** At least the number of columns that are added to make whole vectors. */
  private static final int MAX_PADDING = 64;

  private final MicroKernelSet microKernels;
  private final GemmProblem product;
  private final ReentrantLock packing = new ReentrantLock();
  private volatile @Nullable AlignedBuffer packed;
  private int runs;

  FixedRhs(MicroKernelSet microKernels, GemmProblem product) {
    this.microKernels = microKernels;
    this.product = product;
  }

  /** {@return whether the right side of a product can be kept} */
  static boolean fits(GemmProblem product) {
    return product.batches() == 1
        && (double) product.k() * (product.columns() + MAX_PADDING) < MAX_ELEMENTS;
  }

  /** {@return the number of bytes of the packed right side} */
  long bytes() {
    return (long) size() * microKernels.shape().accumulatorType().bits() / Byte.SIZE;
  }

  private int size() {
    return product.k() * microKernels.roundUpToVectors(product.columns());
  }

  /** {@return whether the right side is packed, so that {@link #panels} does not read it} */
  boolean isPacked() {
    return packed != null;
  }

  /** {@return the packed right side} Packs it at the first call. All tiles have to be ready. */
  Panels panels(GemmMatrices matrices, KernelContext context) {
    AlignedBuffer known = packed;
    if (known == null) {
      known = Limits.exclusively(packing, () -> packedFirst(matrices, context));
    } else if (isDue(++runs) && !known.isAligned(microKernels)) {
      known = AlignedBuffer.kept(microKernels, size(), known);
      packed = known;
    }
    return view(known);
  }

  /** {@return whether to look for a moved array: often in the first runs, then seldom} */
  private static boolean isDue(int run) {
    return (run & run - 1) == 0 || run % SELDOM == 0;
  }

  private AlignedBuffer packedFirst(GemmMatrices matrices, KernelContext context) {
    AlignedBuffer known = packed;
    if (known == null) {
      known = AlignedBuffer.kept(microKernels, size(), null);
      view(known).pack(matrices, context, false);
      packed = known;
    }
    return known;
  }

  private Panels view(AlignedBuffer buffer) {
    return Panels.of(microKernels, buffer, 0, product.columns(), 0, product.k());
  }
}
