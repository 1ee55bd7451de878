package org.hlo4j.interpreter.compiled.gemm;

import java.util.Locale;

/**
 * How a product is computed.
 *
 * @param along what the lanes of a vector hold
 * @param split what threads share
 * @param left where the left side is read
 * @param right where the right side is read
 * @param isSwapped whether rows and columns are exchanged; left and right are those sides then
 * @param widens whether the larger side has a narrow type and is widened as it is read: the left
 *     side if lanes are steps, otherwise the right one
 * @param kBlocks the blocks of steps whose sums are added one after another
 * @param parts the number of parts of the contracting dimension; 1 unless these are shared
 * @param tile the sums that a micro-kernel keeps in registers
 */
record GemmPlan(
    Along along,
    Split split,
    Packing left,
    Packing right,
    boolean isSwapped,
    boolean widens,
    KBlocks kBlocks,
    int parts,
    Tile tile) {
  /** What the lanes of a vector hold. */
  enum Along {
    COLUMNS,
    /** Partial sums of one element, which a horizontal sum adds in the end. */
    STEPS,
    /** Columns that have left sides of their own. */
    FEATURES
  }

  /** What threads share. */
  enum Split {
    NONE,
    BATCHES,
    ROWS,
    COLUMNS,
    STEPS
  }

  /** Where a side is read: in place, or packed by the thread that uses it, by all, or once. */
  enum Packing {
    IN_PLACE,
    PER_THREAD,
    SHARED,
    CONSTANT
  }

  /** A tile of rows of some vectors, which have no lanes if plain loops compute the product. */
  record Tile(int rows, int vectors, int lanes) {
    static final Tile NONE = new Tile(0, 0, 0);

    int width() {
      return vectors * lanes;
    }
  }

  boolean hasTiles() {
    return tile.lanes() > 0;
  }

  /** {@return whether the outer loop goes over panels of columns, each multiplied with all rows} */
  boolean loopsOverColumnsFirst() {
    return right == Packing.IN_PLACE || split == Split.COLUMNS;
  }

  /** {@return this plan for the parts of a contracting dimension, which threads share} */
  GemmPlan withParts(int count) {
    return new GemmPlan(along, Split.STEPS, left, right, false, widens, kBlocks, count, tile);
  }

  /** {@return this plan for the product with rows and columns exchanged} */
  GemmPlan swapped() {
    return new GemmPlan(along, split, left, right, !isSwapped, widens, kBlocks, parts, tile);
  }

  /** {@return the type, the product and this plan in words} */
  String describe(GemmConfig config) {
    return "gemm " + config + ": " + this;
  }

  /** {@return text as {@code columns, over rows, left shared, right in place, 5x2x8, 3 blocks}} */
  @Override
  public String toString() {
    boolean widensLeft = widens && along != Along.COLUMNS;
    String text =
        along
            + (isSwapped ? " swapped, " : ", ")
            + (split == Split.NONE ? "one thread" : "over " + split)
            + (", left " + left + (widensLeft ? " widened" : ""))
            + (", right " + right + (widens && !widensLeft ? " widened, " : ", "))
            + (hasTiles() ? tile.rows() + "x" + tile.vectors() + "x" + tile.lanes() : "plain loops")
            + (kBlocks.count() > 1 ? ", " + kBlocks.count() + " blocks" : "")
            + (parts > 1 ? " in " + parts + " parts" : "");
    return text.toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
