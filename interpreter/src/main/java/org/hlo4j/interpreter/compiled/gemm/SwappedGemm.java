package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.engine.KeptForms;
import org.hlo4j.interpreter.engine.KernelContext;

/** A product that is computed as the one with rows and columns exchanged. */
final class SwappedGemm extends GemmAlgorithm.OfProduct {
  private final GemmAlgorithm gemm;

  SwappedGemm(GemmConfig config, GemmPlan plan, GemmAlgorithm gemm) {
    super(config, plan);
    this.gemm = gemm;
  }

  @Override
  public boolean isReady() {
    return gemm.isReady();
  }

  @Override
  public boolean widensLeft() {
    return gemm.widensRight();
  }

  @Override
  public boolean widensRight() {
    return gemm.widensLeft();
  }

  /**
   * {@return the product with its sides in place, if one that is always the same is packed then}
   */
  @Override
  public GemmAlgorithm withFixedRight(KeptForms forms) {
    GemmAlgorithm fixed = config.isRightFixed() ? this : GemmAlgorithm.of(config.withFixedRight());
    return fixed instanceof SwappedGemm ? this : fixed.withFixedRight(forms);
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    gemm.run(b, a, c, context, epilogue.swapped(product));
  }
}
