package org.hlo4j.interpreter.compiled.gemm;

import java.util.Arrays;

/**
 * A part of a product, copied: rows of b and of sums, each an array of its own, so that C2 makes
 * vectors of the loops over them.
 */
final class ScalarRows {
  /** How many steps there are at most. */
  static final int STEPS = KBlocks.MAX;

  /** How far apart rows of a lie. */
  static final int STRIDE = STEPS;

  /** How many columns at most: those of four rows stay in the first cache. */
  static final int COLUMNS = 512;

  /** How many rows at most. */
  static final int ROWS = 128;

  /** With its header, an array fills lines of the cache, so that all begin at the same place. */
  private static final int LINE = 64;

  private static final int HEADER = 16;

  private final AccumulatorType carrier;
  private final MatrixCopies movement;
  private Object[] sums;

  /** Those of the blocks of steps there were before. */
  private Object[] totals = {};

  private final Object[] b = new Object[STEPS];
  private final Object a;
  private final int room;
  private int rows;
  private int columns;
  private int steps;

  ScalarRows(AccumulatorType carrier) {
    this.carrier = carrier;
    this.movement = MatrixCopies.of(carrier);
    this.room = COLUMNS + (LINE - HEADER) * Byte.SIZE / carrier.bits();
    this.sums = newRows();
    Arrays.setAll(b, any -> movement.allocate(room));
    this.a = movement.allocate(ROWS * STRIDE);
  }

  /** Copies rows and steps of a, steps and columns of b; all sums are zero. */
  void fill(GemmMatrices matrices, MatrixPart left, MatrixPart right) {
    rows = left.i1() - left.i0();
    steps = left.width();
    columns = right.width();
    movement.gather(matrices.a(), matrices.aBase(), left, a, 0, STRIDE);
    movement.gatherRows(matrices.b(), matrices.bBase(), right, b);
    for (int r = 0; r < rows; r++) {
      movement.clear(sums[r], 0, columns);
    }
  }

  /** Keeps the sums of the first block of steps, if there are several. */
  void keep() {
    Object[] free = totals.length == 0 ? newRows() : totals;
    totals = sums;
    sums = free;
  }

  private Object[] newRows() {
    Object[] made = new Object[ROWS];
    Arrays.setAll(made, any -> movement.allocate(room));
    return made;
  }

  /** Adds the sums of one more block to those kept. */
  void addToKept() {
    for (int r = 0; r < rows; r++) {
      movement.add(sums[r], totals[r], columns);
    }
  }

  /** Stores the sums: those kept, if there are several blocks. */
  void scatter(GemmMatrices matrices, MatrixPart result, boolean areKept) {
    Object[] all = areKept ? totals : sums;
    movement.scatterRows(all, matrices.c(), matrices.cBase(), result);
  }

  boolean isFloating() {
    return carrier.isFloating();
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
