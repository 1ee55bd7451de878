package org.hlo4j.interpreter.compiled.gemm;

import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Along;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Packing;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Split;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Tile;

/**
 * The choice of a {@link GemmPlan} of a product whose lanes are steps: a matrix times a vector, or
 * times few of them, with contiguous rows.
 */
public final class GemvPlanner {
  private static final int MAX_COLUMNS = 12;

  /** The limit if the elements of a column are not contiguous, and so slower to pack. */
  private static final int MAX_STRIDED_COLUMNS = 8;

  private static final int MIN_STEPS = 2 * Gemv.LANES;

  /** The minimum number of steps for a single contiguous column. */
  public static final int MIN_STEPS_IN_PLACE = Gemv.LANES;

  /**
   * The minimum of steps for each column. A horizontal sum takes as long as packing this number of
   * elements, which it saves.
   */
  private static final int MIN_STEPS_OF_COLUMN = 20;

  private static final int MAX_TILE_ROWS = 4;

  /** The limit in a convolution. With more features, tiles are faster. */
  private static final int MAX_FEATURES = 4;

  /** The maximum length of a block, in multiples of {@link Gemv#LANES}, for rows in a cache. */
  private static final int BLOCK_IN_CACHE = 128;

  private final GemmConfig config;
  private final int vectorBits;
  private final int lanes;

  GemvPlanner(GemmConfig config, int vectorBits) {
    this.config = config;
    this.vectorBits = vectorBits;
    this.lanes = vectorBits / config.accumulatorType().bits();
  }

  /** {@return a product, or the transposed one, if its lanes are steps} */
  static Optional<GemmProblem> rows(GemmProblem product) {
    return Stream.of(product, product.transposed()).filter(GemvPlanner::isGemv).findFirst();
  }

  /**
   * {@return whether lanes are steps in a convolution of few features with contiguous windows: the
   * image has to be stored with features last}
   */
  public static boolean isOfWindows(GemmProblem ordered) {
    return isGemv(ordered) && ordered.columns() <= MAX_FEATURES;
  }

  /** {@return the maximum length of a block, in multiples of {@link Gemv#LANES}} */
  int maxLength(GemmProblem rows) {
    boolean isNarrow = config.left() != null || config.right() != null;
    return rows.columns() == 1 && !isNarrow ? KBlocks.MAX : BLOCK_IN_CACHE;
  }

  private static boolean isGemv(GemmProblem product) {
    boolean isContiguous = product.stepsB().isContiguous();
    int max = isContiguous ? Math.min(MAX_COLUMNS, product.rows()) : MAX_STRIDED_COLUMNS;
    int minSteps = isContiguous && product.columns() == 1 ? MIN_STEPS_IN_PLACE : MIN_STEPS;
    return product.columns() <= max
        && product.k() >= Math.max(minSteps, MIN_STEPS_OF_COLUMN * product.columns())
        && product.stepsA().isContiguous()
        && product.stepsB().hasConstantStride()
        && product.rowsA().hasConstantStride()
        && product.work() > 0;
  }

  /**
   * Returns the plan.
   *
   * @param rows the product, or the transposed one
   */
  GemmPlan choose(GemmProblem rows) {
    boolean isSwapped = !rows.equals(config.product());
    boolean widens = (isSwapped ? config.right() : config.left()) != null;
    boolean isInPlace = rows.stepsB().isContiguous();
    int count = rows.k() / Gemv.LANES;
    return new GemmPlan(
        Along.STEPS,
        rows.work() >= Machine.MIN_PARALLEL_WORK ? Split.ROWS : Split.NONE,
        Packing.IN_PLACE,
        isInPlace ? Packing.IN_PLACE : Packing.SHARED,
        isSwapped,
        widens,
        KBlocks.of(count, count, maxLength(rows)),
        1,
        lanes == 0 ? Tile.NONE : tile());
  }

  /** {@return a tile with as many rows as there are accumulators for in half of the registers} */
  private Tile tile() {
    int vectors = Gemv.LANES / lanes;
    int rows = Machine.registers(vectorBits) / 2 / vectors;
    return new Tile(Math.clamp(rows, 1, MAX_TILE_ROWS), vectors, lanes);
  }
}
