package org.hlo4j.interpreter.compiled.gemm;

import java.util.List;
import java.util.function.Consumer;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.KeptForms;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/** An algorithm that computes a {@link GemmProblem}. */
public interface GemmAlgorithm {
  /** {@return the algorithm of the plan for a product} */
  static GemmAlgorithm of(GemmConfig config) {
    return of(config, GemmPlanner.choose(config, Machine.vectorBits()));
  }

  /** {@return the algorithm of a plan} */
  private static GemmAlgorithm of(GemmConfig config, GemmPlan plan) {
    if (plan.isSwapped()) {
      return new SwappedGemm(config, plan, of(config.swapped(), plan.swapped()));
    }
    return switch (plan.along()) {
      case COLUMNS ->
          plan.split() == GemmPlan.Split.STEPS
              ? SplitKGemm.of(config, plan)
              : new Gemm(config, plan, null);
      case STEPS -> new Gemv(config, plan);
      case FEATURES -> new DepthwiseGemm(config, plan);
    };
  }

  /** Computes all elements of the result and stores them in c. */
  void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue);

  /** {@return whether the fastest form is ready} Starts its warm-up; {@link #run} does so, too. */
  boolean isReady();

  /** {@return whether all are ready} Starts the warm-up of each that is not. */
  static boolean areReady(List<GemmAlgorithm> algorithms) {
    return algorithms.stream().map(GemmAlgorithm::isReady).reduce(true, Boolean::logicalAnd);
  }

  /**
   * {@return an algorithm for runs whose right side is always the same} It may keep the right side
   * packed; this algorithm if it has no use for that.
   *
   * @param forms the forms in which the right side is kept
   */
  default GemmAlgorithm withFixedRight(KeptForms forms) {
    return this;
  }

  /**
   * {@return the packed right side that runs read from now on in place of the operand; null as long
   * as they read the operand} Callers ask before each run.
   */
  default @Nullable FixedRhs packedRight() {
    return null;
  }

  /** {@return whether the left side is read in its own narrow type and widened while it is read} */
  default boolean widensLeft() {
    return false;
  }

  /**
   * {@return whether the right side is read in its own narrow type and widened while it is read}
   * The answer may change; callers ask before each run.
   */
  default boolean widensRight() {
    return false;
  }

  /** {@return the length of the consecutive rows in which an epilogue is run; 0 if it is not} */
  int rowLength();

  /** An algorithm for one product, which it computes in all its forms. */
  abstract class OfProduct implements GemmAlgorithm {
    final GemmConfig config;
    final GemmPlan plan;
    final AccumulatorType accumulatorType;
    final GemmProblem product;

    OfProduct(GemmConfig config, GemmPlan plan) {
      this.config = config;
      this.plan = plan;
      this.accumulatorType = config.accumulatorType();
      this.product = config.product();
    }

    /** Packs a part of each matrix of the right side, all into one array, and passes that on. */
    final void withPackedRight(
        Object b, MatrixPart part, KernelContext context, Consumer<Object> user) {
      SharedWorkspace.use(
          context,
          accumulatorType,
          product.batches() * part.height() * part.width(),
          buffer -> {
            MatrixCopies.of(accumulatorType).pack(b, product.batchesB(), part, buffer.array());
            user.accept(buffer.array());
          });
    }

    @Override
    public int rowLength() {
      return plan.along() != GemmPlan.Along.STEPS && product.isRowMajor() ? product.columns() : 0;
    }

    /** {@return the type, the product and the plan} */
    @Override
    public String toString() {
      return plan.describe(config);
    }
  }
}
