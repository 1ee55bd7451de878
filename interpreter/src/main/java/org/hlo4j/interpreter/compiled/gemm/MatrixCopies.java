package org.hlo4j.interpreter.compiled.gemm;

import java.lang.invoke.MethodHandles;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.hlo4j.interpreter.compiled.codegen.PrimitiveSpecializer;

/** Makes arrays of one type, and moves parts of matrices between them. */
public abstract class MatrixCopies {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final ConcurrentMap<AccumulatorType, MatrixCopies> ALL = new ConcurrentHashMap<>();

  /** That of arrays of a type. */
  public static MatrixCopies of(AccumulatorType carrier) {
    return ALL.computeIfAbsent(
        carrier,
        any ->
            any == AccumulatorType.F32
                ? new F32Copies()
                : (MatrixCopies)
                    PrimitiveSpecializer.instance(LOOKUP, F32Copies.class, any.component()));
  }

  /** An array of zeros. */
  abstract Object allocate(int count);

  /** How many elements an array has. */
  abstract int length(Object array);

  /** Makes some elements zero. */
  public abstract void clear(Object array, int from, int to);

  /**
   * {@code to[start + (i - i0) * stride + (j - j0)] = from[base + rows(i) + columns(j)]} for all i
   * and j of the part.
   */
  public abstract void gather(
      Object from, int base, MatrixPart part, Object to, int start, int stride);

  /**
   * {@code to[base + rows(i) + columns(j)] = from[start + (i - i0) * stride + (j - j0)]}, or adds
   * it.
   */
  public abstract void scatter(
      Object from, int start, int stride, Object to, int base, MatrixPart part, boolean add);

  /**
   * Stores in some rows of the only matrix of a product what parts of it add up to, in order: each
   * has a row after the other, and one lies behind the other.
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

  /** {@code to[i - i0][j - j0] = from[base + rows(i) + columns(j)]}: each row has an array. */
  abstract void gatherRows(Object from, int base, MatrixPart part, Object[] to);

  /** {@code to[base + rows(i) + columns(j)] = from[i - i0][j - j0]} */
  abstract void scatterRows(Object[] from, Object to, int base, MatrixPart part);

  /** Adds the first elements of one array to those of another. */
  abstract void add(Object from, Object to, int count);
}
