package org.hlo4j.interpreter.compiled.gemm;

import java.lang.invoke.MethodHandles;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.hlo4j.interpreter.compiled.codegen.PrimitiveSpecializer;

/**
 * The loops of products of one type without the Vector API. They add in the same order and with the
 * same roundings as a {@link MicroKernel}.
 */
abstract class GemmArithmetic implements DepthwiseKernel {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final ConcurrentMap<AccumulatorType, GemmArithmetic> ALL =
      new ConcurrentHashMap<>();

  /** {@return the arithmetic of an accumulator type} */
  static GemmArithmetic of(AccumulatorType accumulatorType) {
    return ALL.computeIfAbsent(
        accumulatorType,
        any ->
            any == AccumulatorType.F32
                ? new F32Arithmetic()
                : (GemmArithmetic)
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
   * Computes one matrix of a product whose steps and columns have constant strides. Each sum is
   * accumulated by itself, in order of k.
   */
  abstract void smallGemm(GemmProblem product, GemmMatrices matrices);

  /**
   * Computes {@code c[lane] = sum over k of a[k * lanes + lane] * b[k * stride + lane]}, or adds it
   * to {@code c[lane]}. The number of lanes is a multiple of eight.
   */
  abstract void laneSums(GemmMatrices parts, int lanes, int stride, int count, boolean add);

  /**
   * Computes horizontal sums: {@code to[t + i]} is the sum of the {@code lanes} elements from
   * {@code sums[start + i * lanes]} on. The upper half is added to the lower half, in place, until
   * one element is left.
   */
  abstract void horizontalSums(Object sums, int start, int lanes, int count, Object to, int t);

  /**
   * Adds the remaining products to horizontal sums: {@code c[rows(i) + columns(j)] = sums[at + ...]
   * + sum over k of a[i * apart + k] * b[columnsB(j) + k * strideB]} for all i and j of the part,
   * where a counts i from the first row. The sums are in row-major order.
   */
  abstract void addRemainder(
      GemmMatrices rest,
      int stride,
      DimensionOffsets columnsB,
      int strideB,
      int count,
      MatrixPart part,
      Object sums,
      int at);
}
