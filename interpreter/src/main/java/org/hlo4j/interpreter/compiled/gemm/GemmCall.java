package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.compiled.arrays.ArrayKernel;
import org.hlo4j.interpreter.compiled.arrays.BoundKernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/** A product inside a compiled loop, bound to its arrays once. */
final class GemmCall implements ArrayKernel {
  /** The minimum number of columns for which lanes are columns rather than rows. */
  private static final int MIN_COLUMNS = 4;

  private final boolean isSwapped;

  /** The product whose right side is packed once, as it is the same in each run. */
  private final @Nullable GemmProblem packed;

  private final AccumulatorType accumulatorType;
  private final GemmAlgorithm algorithm;

  GemmCall(GemmConfig config, boolean isLeftFixed, boolean isRightFixed) {
    GemmProblem product = config.product();
    boolean isInOrder = config.kind() == GemmConfig.Kind.DOT_IN_ORDER;
    this.isSwapped = isInOrder && product.columns() < MIN_COLUMNS;
    GemmProblem read = isSwapped ? product.transposed() : product;
    boolean isFixed = isSwapped ? isLeftFixed : isRightFixed;
    this.packed = isInOrder && isFixed && !read.hasContiguousRowsB() ? read : null;
    this.accumulatorType = config.accumulatorType();
    this.algorithm =
        GemmAlgorithm.of(
            config.withProduct(packed == null ? read : packed.withPackedRight(read.columns(), 1)));
  }

  @Override
  public BoundKernel bind(Object[] operands, Object[] results, KernelContext context) {
    Object left = operands[isSwapped ? 1 : 0];
    Object right = operands[isSwapped ? 0 : 1];
    Object b = packed == null ? right : pack(packed, right);
    return () -> algorithm.run(left, b, results[0], context, Epilogue.NONE);
  }

  private Object pack(GemmProblem from, Object right) {
    MatrixCopies copies = MatrixCopies.of(accumulatorType);
    Object to = copies.allocate(from.batches() * from.k() * from.columns());
    copies.pack(right, from.batchesB(), from.right(), to);
    return to;
  }

  @Override
  public boolean isReady() {
    return algorithm.isReady();
  }

  @Override
  public void prepare() {
    boolean _ = isReady();
    MicroKernels.await();
  }
}
