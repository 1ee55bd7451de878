package org.hlo4j.interpreter.compiled.linalg;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.hlo4j.interpreter.compiled.codegen.CodeBudget;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/**
 * The substitution in panels of right-hand sides of a given width, in scalar code first and, once
 * C2 has compiled it, in vector code.
 */
final class PanelSubstitution {
  /** The number of rows that change in one step. */
  static final int ROWS = 4;

  /**
   * The maximum number of rows that are subtracted in one loop. C2 would strip-mine a longer loop.
   */
  static final int MAX_ROWS = 960;

  private static final int ENOUGH = 1 << 19;
  private static final int WARMUP_SIZE = 32;
  private static final int FEW = 32;

  private static final int NARROW = 8;
  private static final int WIDE = 64;
  private static final Map<Integer, PanelSubstitution> ALL = new ConcurrentHashMap<>();

  private final int panel;
  private final Tiered<SubstitutionStep> steps;

  private PanelSubstitution(int panel) {
    this.panel = panel;
    this.steps =
        Tiered.of(
            SubstitutionStep.class,
            "Eliminate" + panel,
            emitter -> new SubstitutionCode(emitter, panel).write(),
            Machine.width(Double.SIZE),
            () -> warmup(panel),
            ENOUGH);
  }

  /** Returns the panels that are best for {@code columns} columns in total. */
  static PanelSubstitution of(int columns) {
    return ofPanel(columns <= FEW ? NARROW : WIDE);
  }

  private static PanelSubstitution ofPanel(int panel) {
    return ALL.computeIfAbsent(
        panel, width -> CodeBudget.shared(() -> new PanelSubstitution(width)));
  }

  private static WarmupInput<SubstitutionStep> warmup(int panel) {
    Object[] arrays = {new double[WARMUP_SIZE * panel], new double[WARMUP_SIZE * WARMUP_SIZE]};
    return (steps, iterations) ->
        steps.run(
            arrays, WARMUP_SIZE - ROWS, 0, iterations > 0 ? WARMUP_SIZE - ROWS : 0, 1, WARMUP_SIZE);
  }

  /** Makes the vector form available now, although C2 has not compiled it yet. */
  static void prepare() {
    ofPanel(NARROW).steps.prepare();
    ofPanel(WIDE).steps.prepare();
  }

  /** Returns the number of columns of a panel. */
  int panel() {
    return panel;
  }

  /** Does the same as {@link SubstitutionStep#run}, for any number of rows that are subtracted. */
  void run(double[] x, double[] m, int target, int known, int count, int step, int n) {
    Object[] arrays = {x, m};
    SubstitutionStep vectors = steps.second((long) count * ROWS * panel);
    SubstitutionStep code = vectors == null ? steps.first() : vectors;
    for (int done = 0; done < count; done += MAX_ROWS) {
      int many = Math.min(MAX_ROWS, count - done);
      code.run(arrays, target, known + done * step, many, step, n);
    }
  }
}
