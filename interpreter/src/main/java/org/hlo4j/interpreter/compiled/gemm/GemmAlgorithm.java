package org.hlo4j.interpreter.compiled.gemm;

import java.util.Locale;
import org.hlo4j.interpreter.engine.KernelContext;

/** An algorithm that computes a {@link GemmProblem}. */
public interface GemmAlgorithm {
  /** Computes all elements of the result and stores them in c. */
  void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue);

  /** Starts the warm-up of the fastest form; {@link #run} does so, too, if it is not called. */
  default void warmUp() {}

  /**
   * {@return an algorithm for runs whose right side is always the same} It may keep the right side
   * packed; this algorithm if it has no use for that.
   */
  default GemmAlgorithm withFixedRight() {
    return this;
  }

  /** {@return the size of the packed right side that this algorithm keeps, in bytes} */
  default long keptBytes() {
    return 0;
  }

  /**
   * {@return whether a run reads the right side} Not any more once it is kept packed; callers ask
   * before each run.
   */
  default boolean readsRight() {
    return true;
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

  /** {@return whether the result is stored in consecutive rows, as an epilogue requires} */
  boolean hasContiguousRows();

  /** {@return the length of a row} */
  int columns();

  /** An algorithm for one product, which it computes in all its forms. */
  abstract class OfProduct implements GemmAlgorithm {
    protected final AccumulatorType accumulatorType;
    protected final GemmProblem product;

    protected OfProduct(AccumulatorType accumulatorType, GemmProblem product) {
      this.accumulatorType = accumulatorType;
      this.product = product;
    }

    @Override
    public boolean hasContiguousRows() {
      return product.isRowMajor();
    }

    @Override
    public int columns() {
      return product.columns();
    }

    /** {@return the type and the product in words} */
    protected String describeProduct() {
      return accumulatorType.toString().toLowerCase(Locale.ROOT) + " " + product;
    }
  }
}
