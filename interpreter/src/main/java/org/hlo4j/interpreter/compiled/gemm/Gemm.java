package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Packing;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Split;
import org.hlo4j.interpreter.engine.KeptForms;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.jspecify.annotations.Nullable;

/**
 * A matrix product. Vector tiles compute it once those that it needs are ready; until then plain
 * loops do, in the same order of operations, so that the bits of the result do not depend on which.
 * Each sum consists of blocks of at most {@link KBlocks#MAX} steps, rounded after each fused
 * multiply-add, and the sums of the blocks are added in order. For K steps the error is at most
 * {@code (min(K, 256) + K / 256) * u / (1 - ...)} times the sum of the absolute products, where u
 * is half an ulp of 1.
 */
final class Gemm extends GemmAlgorithm.OfProduct {
  private final ScalarGemm scalar;
  private final MicroKernelSet tiles;
  private final @Nullable FixedRhs fixedRhs;

  /**
   * Creates the product of a plan.
   *
   * @param fixedRhs the right side, if it is the same in each run and kept packed
   */
  Gemm(GemmConfig config, GemmPlan plan, @Nullable FixedRhs fixedRhs) {
    super(config, plan);
    this.scalar = new ScalarGemm(config, plan);
    this.tiles = new MicroKernelSet(config, plan);
    this.fixedRhs = fixedRhs;
  }

  @Override
  public boolean isReady() {
    return !plan.hasTiles() || tiles.isReady(product.work());
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    if (product.rows() == 0 || product.columns() == 0) {
      return;
    }
    if (!plan.hasTiles() || !isReady()) {
      scalar.run(a, b, c, context, epilogue);
      return;
    }
    if (product.batches() == 1) {
      TiledGemm.run(tiles, fixedRhs, GemmMatrices.of(product, a, b, c, epilogue, 0), context);
      return;
    }
    double each = product.work() / product.batches();
    new Parallel(
            context,
            plan.split() == Split.BATCHES,
            product.batches(),
            (int) Math.ceil(Machine.SMALL_PRODUCT_GRAIN / each))
        .run((first, end) -> {
          for (int batch = first; batch < end; batch++) {
            GemmMatrices matrices = GemmMatrices.of(product, a, b, c, epilogue, batch);
            TiledGemm.run(tiles, fixedRhs, matrices, context);
          }
        });
  }

  @Override
  public boolean widensRight() {
    return plan.widens() && isReady();
  }

  @Override
  public GemmAlgorithm withFixedRight(KeptForms forms) {
    GemmConfig fixed = config.withFixedRight();
    GemmPlan keeping = GemmPlanner.choose(fixed, Machine.vectorBits());
    FixedRhs kept =
        keeping.right() == Packing.CONSTANT
            ? FixedRhs.of(forms, new MicroKernelSet(fixed, keeping))
            : null;
    return kept == null ? this : new Gemm(fixed, keeping, kept);
  }

  @Override
  public @Nullable FixedRhs packedRight() {
    return fixedRhs != null && fixedRhs.isPacked() && isReady() ? fixedRhs : null;
  }
}
