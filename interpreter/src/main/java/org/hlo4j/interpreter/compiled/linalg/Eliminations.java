package org.hlo4j.interpreter.compiled.linalg;

import org.hlo4j.interpreter.compiled.codegen.VectorSupport;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/**
 * Substitution in panels of right-hand sides that have so many columns, by vectors once these are
 * compiled.
 */
final class Eliminations {
  /** How many rows change at a time. */
  static final int ROWS = 4;

  /** From how many rows at most in one loop: C2 would cut a longer one into strips. */
  static final int MAX_ROWS = 960;

  private static final int ENOUGH = 1 << 19;
  private static final int WARMUP_SIZE = 32;
  private static final int FEW = 32;

  private static final Eliminations NARROW = new Eliminations(8);
  private static final Eliminations WIDE = new Eliminations(64);

  private final int panel;
  private final Tiered<Elimination> steps;

  private Eliminations(int panel) {
    this.panel = panel;
    this.steps =
        Tiered.of(
            Elimination.class,
            "Eliminate" + panel,
            emitter -> new EliminationCode(emitter, panel).write(),
            VectorSupport.width(Double.SIZE),
            () -> warmup(panel),
            ENOUGH);
  }

  /** The panels that are best for so many columns in all. */
  static Eliminations of(int columns) {
    return columns <= FEW ? NARROW : WIDE;
  }

  private static WarmupInput<Elimination> warmup(int panel) {
    Object[] arrays = {new double[WARMUP_SIZE * panel], new double[WARMUP_SIZE * WARMUP_SIZE]};
    return (steps, iterations) ->
        steps.run(
            arrays, WARMUP_SIZE - ROWS, 0, iterations > 0 ? WARMUP_SIZE - ROWS : 0, 1, WARMUP_SIZE);
  }

  /** Has vectors ready now, slow as they may still be. */
  static void prepare() {
    NARROW.steps.prepare();
    WIDE.steps.prepare();
  }

  /** How many columns a panel has. */
  int panel() {
    return panel;
  }

  /** As {@link Elimination#run}, for any number of rows. */
  void run(double[] x, double[] m, int target, int known, int count, int step, int n) {
    Object[] arrays = {x, m};
    Elimination vectors = steps.second((long) count * ROWS * panel);
    Elimination code = vectors == null ? steps.first() : vectors;
    for (int done = 0; done < count; done += MAX_ROWS) {
      int many = Math.min(MAX_ROWS, count - done);
      code.run(arrays, target, known + done * step, many, step, n);
    }
  }
}
