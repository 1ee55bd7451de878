package org.hlo4j.interpreter.compiled.gemm;

import java.lang.invoke.MethodHandles;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.hlo4j.interpreter.compiled.codegen.PrimitiveSpecializer;

/** Allocation of arrays of one type, and copies of parts of matrices between them. */
public abstract class MatrixCopies {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final ConcurrentMap<AccumulatorType, MatrixCopies> ALL = new ConcurrentHashMap<>();

  /** {@return the copies of an accumulator type} */
  public static MatrixCopies of(AccumulatorType accumulatorType) {
    return ALL.computeIfAbsent(
        accumulatorType,
        any ->
            (MatrixCopies) PrimitiveSpecializer.instance(LOOKUP, F32Copies.class, any.component()));
  }

  /** {@return a new array of zeros} */
  public abstract Object allocate(int count);

  /** {@return the length of an array} */
  abstract int length(Object array);

  /** Sets the elements {@code from} to {@code to}, exclusive, to zero. */
  public abstract void clear(Object array, int from, int to);

  /**
   * Copies {@code to[start + (i - i0) * stride + (j - j0)] = from[base + rows(i) + columns(j)]} for
   * all i and j of the part.
   */
  public abstract void gather(
      Object from, int base, MatrixPart part, Object to, int start, int stride);

  /**
   * Copies {@code to[base + rows(i) + columns(j)] = from[start + (i - i0) * stride + (j - j0)]}, or
   * adds it, for all i and j of the part.
   */
  public abstract void scatter(
      Object from, int start, int stride, Object to, int base, MatrixPart part, boolean add);

  /**
   * Adds the results of the parts of a product in order and stores the sums in rows {@code i0} to
   * {@code i1} of its only matrix. The results of the parts are stored one after another, each as a
   * contiguous row-major matrix.
   */
  public final void scatterSums(
      Object sums, int parts, GemmProblem product, Object to, int i0, int i1) {
    int columns = product.columns();
    MatrixPart rows = new MatrixPart(product.rowsC(), i0, i1, product.columnsC(), 0, columns);
    for (int part = 0; part < parts; part++) {
      int start = (part * product.rows() + i0) * columns;
      scatter(sums, start, columns, to, product.batchesC().at(0), rows, part > 0);
    }
  }
}
