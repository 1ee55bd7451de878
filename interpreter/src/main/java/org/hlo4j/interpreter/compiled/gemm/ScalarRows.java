package org.hlo4j.interpreter.compiled.gemm;

import java.util.Arrays;
import org.hlo4j.interpreter.compiled.codegen.Machine;

/**
 * A part of a product, copied to arrays that C2 can vectorize loops over: each row of b and each
 * row of sums has an array of its own.
 */
final class ScalarRows {
  /** The maximum number of steps. */
  static final int STEPS = KBlocks.MAX;

  /** The stride of the rows of a. */
  static final int STRIDE = STEPS;

  /** The maximum number of columns: those of four rows stay in the L1 cache. */
  static final int COLUMNS = 512;

  /** The maximum number of rows. */
  static final int ROWS = 128;

  /**
   * The size of the header of an array in bytes. An array together with its header fills whole
   * cache lines, so that all arrays have the same alignment.
   */
  private static final int HEADER = 16;

  private final AccumulatorType accumulatorType;
  private final MatrixCopies copies;
  private Object[] sums;

  /** The sums of the previous blocks of steps. */
  private Object[] totals = {};

  private final Object[] b = new Object[STEPS];
  private final Object a;
  private final int room;
  private int rows;
  private int columns;
  private int steps;

  ScalarRows(AccumulatorType accumulatorType) {
    this.accumulatorType = accumulatorType;
    this.copies = MatrixCopies.of(accumulatorType);
    this.room = COLUMNS + (Machine.CACHE_LINE - HEADER) * Byte.SIZE / accumulatorType.bits();
    this.sums = newRows();
    Arrays.setAll(b, any -> copies.allocate(room));
    this.a = copies.allocate(ROWS * STRIDE);
  }

  /** Copies rows and steps of a and steps and columns of b, and clears the sums. */
  void fill(GemmMatrices matrices, MatrixPart left, MatrixPart right) {
    rows = left.i1() - left.i0();
    steps = left.width();
    columns = right.width();
    copies.gather(matrices.a(), matrices.aBase(), left, a, 0, STRIDE);
    copies.gatherRows(matrices.b(), matrices.bBase(), right, b);
    for (int r = 0; r < rows; r++) {
      copies.clear(sums[r], 0, columns);
    }
  }

  /** Keeps the sums of the first block of steps. Called if there are several blocks. */
  void keep() {
    Object[] free = totals.length == 0 ? newRows() : totals;
    totals = sums;
    sums = free;
  }

  private Object[] newRows() {
    Object[] made = new Object[ROWS];
    Arrays.setAll(made, any -> copies.allocate(room));
    return made;
  }

  /** Adds the sums of a further block to those that are kept. */
  void addToKept() {
    for (int r = 0; r < rows; r++) {
      copies.add(sums[r], totals[r], columns);
    }
  }

  /** Stores the sums in the result: those that are kept, if there are several blocks. */
  void scatter(GemmMatrices matrices, MatrixPart result, boolean areKept) {
    Object[] all = areKept ? totals : sums;
    copies.scatterRows(all, matrices.c(), matrices.cBase(), result);
  }

  boolean isFloating() {
    return accumulatorType.isFloating();
  }

  int rows() {
    return rows;
  }

  int columns() {
    return columns;
  }

  int steps() {
    return steps;
  }

  Object sums(int r) {
    return sums[r];
  }

  Object b(int k) {
    return b[k];
  }

  Object a() {
    return a;
  }
}
