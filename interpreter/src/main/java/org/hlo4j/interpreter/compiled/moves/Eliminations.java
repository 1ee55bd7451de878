package org.hlo4j.interpreter.compiled.moves;

import org.hlo4j.interpreter.compiled.lanes.VectorSupport;
import org.hlo4j.interpreter.compiled.tiers.Practice;
import org.hlo4j.interpreter.compiled.tiers.Tiered;

/** Substitution in a panel of right-hand sides, by vectors once these are compiled. */
final class Eliminations {
  /** How many columns a panel has. */
  static final int PANEL = 64;

  /** How many rows change at a time. */
  static final int ROWS = 4;

  /** From how many rows at most in one loop: C2 would cut a longer one into strips. */
  static final int MOST_ROWS = 960;

  private static final int ENOUGH = 1 << 19;
  private static final int PRACTICE = 32;

  private static final Tiered<Elimination> STEPS =
      Tiered.of(
          Elimination.class,
          "Eliminate",
          lanes -> new EliminationCode(lanes).write(),
          VectorSupport.width(Double.SIZE),
          Eliminations::practice,
          ENOUGH);

  private Eliminations() {}

  private static Practice<Elimination> practice() {
    Object[] arrays = {new double[PRACTICE * PANEL], new double[PRACTICE * PRACTICE]};
    return (steps, turns) ->
        steps.run(arrays, PRACTICE - ROWS, 0, turns > 0 ? PRACTICE - ROWS : 0, 1, PRACTICE);
  }

  /** Has vectors ready now, slow as they may still be. */
  static void prepare() {
    STEPS.prepare();
  }

  /** As {@link Elimination#run}, for any number of rows. */
  static void run(double[] x, double[] m, int target, int known, int count, int step, int n) {
    Object[] arrays = {x, m};
    Elimination vectors = STEPS.second((long) count * ROWS * PANEL);
    Elimination steps = vectors == null ? STEPS.first() : vectors;
    for (int done = 0; done < count; done += MOST_ROWS) {
      int many = Math.min(MOST_ROWS, count - done);
      steps.run(arrays, target, known + done * step, many, step, n);
    }
  }
}
