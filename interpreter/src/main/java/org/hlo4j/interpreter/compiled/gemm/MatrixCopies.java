package org.hlo4j.interpreter.compiled.gemm;

import java.lang.invoke.MethodHandles;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.hlo4j.interpreter.compiled.codegen.PrimitiveSpecializer;
import org.hlo4j.interpreter.compiled.copy.StridedCopy;

/** Allocation of arrays of one type, and copies of parts of matrices between them. */
public abstract class MatrixCopies {
  /** The minimum number of elements of a run that is copied as a whole, not one by one. */
  private static final int LONG_RUN = 16;

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
  public final void gather(
      Object from, int base, MatrixPart part, Object to, int start, int stride) {
    if (hasLongRuns(part)) {
      copyRuns(part, from, base, to, start, stride, true);
    } else {
      gatherElements(from, base, part, to, start, stride);
    }
  }

  /** Copies a part of each matrix, one after another, in rows of the part's width. */
  final void pack(Object from, DimensionOffsets matrices, MatrixPart part, Object to) {
    int size = part.height() * part.width();
    for (int i = 0; i < matrices.count(); i++) {
      gather(from, matrices.at(i), part, to, i * size, part.width());
    }
  }

  /**
   * Copies {@code to[base + rows(i) + columns(j)] = from[start + (i - i0) * stride + (j - j0)]}, or
   * adds it, for all i and j of the part.
   */
  public final void scatter(
      Object from, int start, int stride, Object to, int base, MatrixPart part, boolean add) {
    if (hasLongRuns(part) && !add) {
      copyRuns(part, to, base, from, start, stride, false);
    } else {
      scatterElements(from, start, stride, to, base, part, add);
    }
  }

  private static boolean hasLongRuns(MatrixPart part) {
    int rows = Math.min(part.rows().stridedRunLength(), part.height());
    int columns = Math.min(part.columns().stridedRunLength(), part.width());
    return rows * columns >= LONG_RUN;
  }

  /**
   * Copies a part of a matrix to an array, or from it, in runs of rows and columns with constant
   * strides.
   */
  private static void copyRuns(
      MatrixPart part,
      Object matrix,
      int base,
      Object array,
      int start,
      int stride,
      boolean toArray) {
    int row = part.rows().stride();
    int column = part.columns().stride();
    for (int i = part.i0(), height; i < part.i1(); i += height) {
      height = part.rows().run(i, part.i1());
      for (int j = part.j0(), width; j < part.j1(); j += width) {
        width = part.columns().run(j, part.j1());
        int inMatrix = base + part.rows().at(i) + part.columns().at(j);
        int inArray = start + (i - part.i0()) * stride + j - part.j0();
        if (toArray) {
          StridedCopy.run(matrix, inMatrix, row, column, array, inArray, stride, 1, height, width);
        } else {
          StridedCopy.run(array, inArray, stride, 1, matrix, inMatrix, row, column, height, width);
        }
      }
    }
  }

  abstract void gatherElements(
      Object from, int base, MatrixPart part, Object to, int start, int stride);

  abstract void scatterElements(
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
