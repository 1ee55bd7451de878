package org.hlo4j.interpreter.compiled.gemm;

import java.lang.invoke.MethodHandles;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.hlo4j.interpreter.compiled.codegen.PrimitiveSpecializer;

/**
 * Sums of products of one type without the Vector API, in the same order and with the same
 * roundings as a {@link MicroKernel}.
 */
abstract class GemmArithmetic {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final ConcurrentMap<AccumulatorType, GemmArithmetic> ALL =
      new ConcurrentHashMap<>();

  /** That of a type. */
  static GemmArithmetic of(AccumulatorType carrier) {
    return ALL.computeIfAbsent(
        carrier,
        any ->
            any == AccumulatorType.F32
                ? new F32Arithmetic()
                : (GemmArithmetic)
                    PrimitiveSpecializer.instance(LOOKUP, F32Arithmetic.class, any.component()));
  }

  /** {@code sums[i][j] += sum over k of a[i, k] * b[k][j]} */
  abstract void addProducts(ScalarRows part);

  /** One matrix of a product of even positions, each sum by itself, in order of k. */
  abstract void small(GemmProblem product, GemmMatrices matrices);

  /** {@code c[j] = sum over k of a[stepsA[k] + j] * b[stepsB[k] + j]}, or adds it. */
  abstract void lanes(DepthwiseTiles product, GemmMatrices row, int k0, int k1, boolean add);

  /**
   * {@code c[lane] = sum over k of a[k * lanes + lane] * b[k * stride + lane]}, or adds it; of a
   * multiple of eight lanes.
   */
  abstract void laneSums(GemmMatrices parts, int lanes, int stride, int count, boolean add);

  /** {@code to[t + i] = } the sum of {@code sums[start + i * lanes]} and on, halved in place. */
  abstract void halve(Object sums, int start, int lanes, int count, Object to, int t);

  /**
   * {@code c[rows(i) + columns(j)] = sums[at + ...] + sum over k of a[i * apart + k] *
   * b[columnsB(j) + k * strideB]} for all i, counted from the first, and j of the part.
   */
  abstract void totals(
      GemmMatrices rest,
      int apart,
      DimensionOffsets columnsB,
      int strideB,
      int count,
      MatrixPart part,
      Object sums,
      int at);
}
