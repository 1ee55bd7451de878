package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.compiled.arrays.ArrayKernel;
import org.hlo4j.interpreter.compiled.arrays.BoundKernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A small product that runs repeatedly on the same arrays, by tiles once they are ready. If one
 * side is loop-invariant, it may be packed for the tiles, once.
 */
final class ShortGemm implements ArrayKernel {
  private final AccumulatorType accumulatorType;
  private final GemmProblem product;
  private final TiledGemm tiled;
  private final boolean isSwapped;
  private final @Nullable GemmProblem packed;

  ShortGemm(GemmConfig config, GemmPlan plan) {
    GemmProblem read = plan.isSwapped() ? config.product().transposed() : config.product();
    this.packed = plan.right() == GemmPlan.Packing.CONSTANT ? read : null;
    this.accumulatorType = config.accumulatorType();
    this.product = packed == null ? read : packed.withPackedRight();
    this.tiled = new TiledGemm(config.withProduct(product), plan.withRightInPlace(), null);
    this.isSwapped = plan.isSwapped();
  }

  @Override
  public BoundKernel bind(Object[] operands, Object[] results, KernelContext context) {
    Object left = operands[isSwapped ? 1 : 0];
    Object right = operands[isSwapped ? 0 : 1];
    Object b = packed == null ? right : pack(packed, right);
    GemmMatrices[] batches = new GemmMatrices[product.batches()];
    for (int i = 0; i < batches.length; i++) {
      batches[i] = GemmMatrices.of(product, left, b, results[0], Epilogue.NONE, i);
    }
    return new Batches(batches);
  }

  private Object pack(GemmProblem from, Object right) {
    MatrixCopies copies = MatrixCopies.of(accumulatorType);
    int size = from.k() * from.columns();
    Object to = copies.allocate(from.batches() * size);
    MatrixPart all = new MatrixPart(from.stepsB(), 0, from.k(), from.columnsB(), 0, from.columns());
    for (int i = 0; i < from.batches(); i++) {
      copies.gather(right, from.batchesB().at(i), all, to, i * size, from.columns());
    }
    return to;
  }

  @Override
  public boolean isReady() {
    return tiled.isReady(MicroKernels.ENOUGH);
  }

  @Override
  public void prepare() {
    isReady();
    MicroKernels.await();
  }

  private final class Batches implements BoundKernel {
    private final GemmMatrices[] batches;
    private final GemmArithmetic plain = GemmArithmetic.of(accumulatorType);
    private boolean isReady;

    Batches(GemmMatrices[] batches) {
      this.batches = batches;
    }

    @Override
    public void run() {
      isReady = isReady || tiled.isReady(product.work());
      for (GemmMatrices each : batches) {
        if (isReady) {
          tiled.runUnpacked(each);
        } else {
          plain.smallGemm(product, each);
        }
      }
    }
  }
}
