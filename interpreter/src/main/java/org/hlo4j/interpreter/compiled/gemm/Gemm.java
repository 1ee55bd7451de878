package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A matrix product. Vector tiles compute it once those that it needs are ready; until then plain
 * loops do, in the same order of operations, so that the bits of the result do not depend on which.
 * Each sum consists of blocks of at most {@link KBlocks#MAX} steps, rounded after each fused
 * multiply-add, and the sums of the blocks are added in order. For K steps the error is at most
 * {@code (min(K, 256) + K / 256) * u / (1 - ...)} times the sum of the absolute products, where u
 * is half an ulp of 1. If there are at most {@link #SMALL} products, it is {@code K * u / (1 -
 * ...)}.
 */
public final class Gemm extends GemmAlgorithm.OfProduct {
  /** The maximum number of multiply-adds of a matrix that is computed without packing. */
  static final double SMALL = 1024;

  /**
   * The maximum row stride for reading the left side in place. Rows further apart evict each other
   * from a cache, unless it holds all of them.
   */
  private static final int MAX_APART = 1024;

  private static final int MAX_COMPACT = 1 << 18;

  private final boolean isSmall;
  private final SmallGemm small;
  private final ScalarGemm scalar;
  private final @Nullable UnpackedGemm unpacked;
  private final @Nullable TiledGemm tiled;
  private final boolean inPlace;
  private final @Nullable Widenings right;

  Gemm(AccumulatorType accumulatorType, GemmProblem product, @Nullable Widenings right) {
    this(accumulatorType, product, isCompact(product), right, false);
  }

  /**
   * {@return whether the rows of the left side are so close in memory that tiles may read them in
   * place}
   */
  private static boolean isCompact(GemmProblem product) {
    return product.rows() > MicroKernelSet.FEW_ROWS
        && product.stepsA().isContiguous()
        && product.rowsA().hasConstantStride()
        && (product.rowsA().stride() <= MAX_APART
            || (double) product.rowsA().stride() * product.rows() <= MAX_COMPACT);
  }

  private static KBlocks kBlocks(GemmProblem product, boolean inPlace) {
    return KBlocks.of(product.k(), inPlace ? product.stepsA().contiguousRunLength() : product.k());
  }

  /** {@return whether each sum of a product is accumulated in order of k, in one block} */
  static boolean isInOrder(GemmProblem product) {
    return kBlocks(product, isCompact(product)).count() == 1;
  }

  /**
   * Creates the computation of a product.
   *
   * @param inPlace whether tiles may read the left side without packing
   */
  public Gemm(AccumulatorType accumulatorType, GemmProblem product, boolean inPlace) {
    this(accumulatorType, product, inPlace, null, false);
  }

  private Gemm(
      AccumulatorType accumulatorType,
      GemmProblem product,
      boolean inPlace,
      @Nullable Widenings right,
      boolean isRightFixed) {
    super(accumulatorType, product);
    this.inPlace = inPlace;
    this.right = right;
    this.isSmall = product.hasConstantStrides() && product.work() <= SMALL * product.batches();
    this.small = new SmallGemm(accumulatorType, product);
    KBlocks kBlocks = kBlocks(product, inPlace);
    this.scalar = new ScalarGemm(accumulatorType, product, kBlocks);
    this.unpacked = kBlocks.count() == 1 ? UnpackedGemm.of(accumulatorType, product) : null;
    this.tiled =
        unpacked == null && !isSmall && !ScalarGemm.isFastest(accumulatorType, product)
            ? new TiledGemm(accumulatorType, product, kBlocks, inPlace, right, isRightFixed)
            : null;
  }

  private boolean isReady() {
    return unpacked != null
        ? unpacked.isReady(product.work())
        : tiled != null && tiled.isReady(product.work());
  }

  @Override
  public void warmUp() {
    isReady();
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    if (product.rows() == 0 || product.columns() == 0) {
      return;
    }
    boolean ready = isReady();
    if (ready && unpacked != null) {
      unpacked.run(a, b, c, context, epilogue);
    } else if (ready && tiled != null) {
      tiled.run(a, b, c, context, epilogue);
    } else if (isSmall) {
      small.run(a, b, c, context, epilogue);
    } else {
      scalar.run(a, b, c, context, epilogue);
    }
  }

  @Override
  public boolean widensRight() {
    return isReady() && tiled != null && tiled.widensRight();
  }

  @Override
  public GemmAlgorithm withFixedRight() {
    boolean isNarrow = right != null && product.rows() <= MicroKernelSet.FEW_ROWS;
    return tiled == null || isNarrow || !FixedRhs.fits(product)
        ? this
        : new Gemm(accumulatorType, product, inPlace, right, true);
  }

  @Override
  public long keptBytes() {
    return tiled == null ? 0 : tiled.keptBytes();
  }

  @Override
  public boolean readsRight() {
    return tiled == null || tiled.readsRight();
  }

  /** {@return the type, the product and the algorithm in words} */
  @Override
  public String toString() {
    Object implementation =
        unpacked != null ? unpacked : tiled != null ? tiled : isSmall ? "small" : "plain loops";
    return "gemm " + describeProduct() + ", " + implementation;
  }
}
