package org.hlo4j.interpreter.compiled.gemm;

import java.util.Arrays;
import org.hlo4j.interpreter.compiled.codegen.Machine;

/**
 * The product of a part of each matrix by loops that C2 vectorizes: each row of b, and each row of
 * sums, is copied to an array of its own.
 */
final class ScalarRows {
  /** The maximum number of columns: those of the arrays of a loop stay in the L1 cache. */
  static final int COLUMNS = 512;

  /** The maximum number of rows. */
  static final int ROWS = 128;

  private static final int STEPS = KBlocks.MAX;

  /** The number of rows that are copied together: as many as fill a cache line, for columns. */
  private static final int STRIP = 16;

  /** The stride of the rows of a strip. The padding keeps rows out of the same cache sets. */
  private static final int STRIDE = COLUMNS + STRIP;

  private final GemmArithmetic arithmetic;
  private final MatrixCopies copies;
  private final Object a;
  private final Object[] b = new Object[STEPS];
  private final Object[] sums = new Object[2];
  private final Object strip;

  ScalarRows(AccumulatorType accumulatorType) {
    this.arithmetic = GemmArithmetic.of(accumulatorType);
    this.copies = MatrixCopies.of(accumulatorType);
    // With its header an array fills whole cache lines, so that all arrays have the same alignment.
    int room =
        COLUMNS + (Machine.CACHE_LINE - Machine.ARRAY_HEADER) * Byte.SIZE / accumulatorType.bits();
    this.a = copies.allocate(ROWS * STEPS);
    Arrays.setAll(b, any -> copies.allocate(room));
    Arrays.setAll(sums, any -> copies.allocate(room));
    this.strip = copies.allocate(STRIP * STRIDE);
  }

  /** Stores the product of two parts in a part of the result, or adds it. */
  @SuppressWarnings("SuspiciousSystemArraycopy") // arrays of the same type
  void multiply(
      GemmMatrices matrices, MatrixPart left, MatrixPart right, MatrixPart result, boolean add) {
    int steps = left.width();
    int columns = right.width();
    copies.gather(matrices.a(), matrices.aBase(), left, a, 0, STEPS);
    boolean isContiguous = right.columns().isContiguous();
    for (int k = 0; k < steps; k++) {
      if (isContiguous) {
        int row = right.rows().at(right.i0() + k) + right.j0();
        System.arraycopy(matrices.b(), matrices.bBase() + row, b[k], 0, columns);
        continue;
      }
      if (k % STRIP == 0) {
        copies.gather(matrices.b(), matrices.bBase(), right.rows(k, STRIP), strip, 0, STRIDE);
      }
      System.arraycopy(strip, k % STRIP * STRIDE, b[k], 0, columns);
    }
    for (int i = 0; i < left.height(); i += STRIP) {
      MatrixPart rows = result.rows(i, STRIP);
      for (int r = 0; r < rows.height(); r += 2) {
        int first = (i + r) * STEPS;
        int second = r + 1 < rows.height() ? first + STEPS : first;
        arithmetic.twoRows(a, first, second, b, steps, sums[0], sums[1], columns);
        System.arraycopy(sums[0], 0, strip, r * STRIDE, columns);
        System.arraycopy(sums[1], 0, strip, (r + 1) * STRIDE, columns);
      }
      copies.scatter(strip, 0, STRIDE, matrices.c(), matrices.cBase(), rows, add);
    }
  }
}
