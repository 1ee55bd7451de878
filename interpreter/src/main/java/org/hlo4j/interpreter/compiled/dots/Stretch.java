package org.hlo4j.interpreter.compiled.dots;

import com.google.common.collect.ImmutableList;

/**
 * Steps of a {@link RowProduct} that lie side by side in a row.
 *
 * @param start the first of them
 * @param turns how many times so many lanes they are
 * @param lanes {@link RowProduct#LANES}, or half of them at the end of a run
 */
record Stretch(int start, int turns, int lanes) {
  private static final int HALF = RowProduct.LANES / 2;

  /** Whether runs of so many steps are made of stretches, and the first of them is a whole one. */
  static boolean makeUp(int run) {
    return run >= RowProduct.LANES && run % HALF == 0;
  }

  /**
   * The stretches of steps, none of which crosses the end of a run, in order. Of steps that are all
   * one run some may be left over behind them.
   *
   * @param most how many turns one has at most
   */
  static ImmutableList<Stretch> of(Positions steps, int most) {
    ImmutableList.Builder<Stretch> all = ImmutableList.builder();
    for (int run = 0; run < steps.count(); run += steps.run()) {
      int turns = steps.run() / RowProduct.LANES;
      Blocks blocks = Blocks.of(turns, Math.max(1, turns), most);
      for (int block = 0; block < blocks.count(); block++) {
        int first = blocks.start(block);
        int start = run + first * RowProduct.LANES;
        all.add(new Stretch(start, blocks.end(block) - first, RowProduct.LANES));
      }
      int left = steps.run() - turns * RowProduct.LANES;
      if (left == HALF && steps.run() < steps.count()) {
        all.add(new Stretch(run + turns * RowProduct.LANES, 1, HALF));
      }
    }
    return all.build();
  }

  boolean isHalf() {
    return lanes < RowProduct.LANES;
  }

  /** Behind the last of them. */
  int end() {
    return start + turns * lanes;
  }
}
