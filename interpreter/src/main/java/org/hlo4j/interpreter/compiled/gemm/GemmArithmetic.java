package org.hlo4j.interpreter.compiled.gemm;

import java.lang.invoke.MethodHandles;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.hlo4j.interpreter.compiled.codegen.PrimitiveSpecializer;

/**
 * The loops of products of one type without the Vector API. They add in the same order and with the
 * same roundings as generated kernels.
 */
abstract class GemmArithmetic implements DepthwiseKernel, RowSums {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final ConcurrentMap<AccumulatorType, GemmArithmetic> ALL =
      new ConcurrentHashMap<>();

  /** What a sum of products begins with. */
  enum Start {
    ZERO,
    /** Zero; the element of the result is added to the sum. */
    ZERO_THEN_ADD,
    /** The element of the result. */
    RESULT
  }

  /** {@return the arithmetic of an accumulator type} */
  static GemmArithmetic of(AccumulatorType accumulatorType) {
    return ALL.computeIfAbsent(
        accumulatorType,
        any ->
            (GemmArithmetic)
                PrimitiveSpecializer.instance(LOOKUP, F32Arithmetic.class, any.component()));
  }

  /**
   * Computes two rows of a product, {@code c0[j] = sum over k of a[first + k] * b[k][j]}, and c1
   * alike from {@code second} on. C2 vectorizes only loops over arrays that are distinct objects
   * and have the same index.
   */
  abstract void twoRows(
      Object a, int first, int second, Object[] b, int steps, Object c0, Object c1, int columns);

  /**
   * Computes one matrix of a product whose steps and columns have constant strides, and stores or
   * adds its elements. Each sum is accumulated by itself, in order of k.
   */
  abstract void smallGemm(GemmProblem product, GemmMatrices matrices, boolean add);

  /**
   * Adds the products of some steps to {@code to[t + i]} for each row i, one after another; the
   * arguments are those of {@link RowSums#run}. The sums of a few rows are computed together.
   */
  abstract void addRest(
      Object[] arrays, int aStart, int aStride, int bStart, int steps, int t, int rows);
}
