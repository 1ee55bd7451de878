package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import org.hlo4j.hlo.ir.HloModule;

/**
 * All passes in their order: inlining, dead code and the parts of complex numbers once, then
 * simplification, constant folding, common subexpressions, unrolling and code motion as long as
 * they find something, transposes of dots, folds in two steps, dead code again, and fusion. The
 * result is a right module that computes the same bits as the one given.
 */
public final class Pipeline {
  private static final int MOST_ROUNDS = 8;

  private final ImmutableList<Pass> first =
      ImmutableList.of(new Inlining(), new DeadCode(), new ComplexStates(), new ComplexParts());
  private final ImmutableList<Pass> repeated =
      ImmutableList.of(
          new Simplification(),
          new ConstantFolding(),
          new CommonSubexpressions(),
          new LoopConstants(),
          new Unrolling(),
          new ShortMinors());
  private final ImmutableList<Pass> last;

  /**
   * What came of a module.
   *
   * @param module the module to run
   * @param counts how often the passes did what, such as {@code dead} or {@code loop fusion}
   */
  public record Result(HloModule module, ImmutableMap<String, Integer> counts) {}

  private Pipeline(ImmutableList<Pass> last) {
    this.last = last;
  }

  /** {@return all passes, with fusions that these generators make kernels of} */
  public static Pipeline of(Generators generators) {
    return new Pipeline(
        ImmutableList.of(
            new TransposedDots(), new FoldSplitting(), new DeadCode(), new Fusing(generators)));
  }

  /** {@return all passes but fusion} */
  public static Pipeline withoutFusion() {
    return new Pipeline(ImmutableList.of(new DeadCode()));
  }

  /**
   * Runs the passes.
   *
   * @param module a module that the verifier accepts
   * @return a module that computes the same, and what was done
   */
  public Result run(HloModule module) {
    Session session = new Session(module);
    HloModule current = module;
    for (Pass pass : first) {
      current = pass.run(current, session);
    }
    current = repeated(current, session);
    HloModule moved = new LoopInvariants().run(current, session);
    current = moved == current ? current : repeated(moved, session);
    for (Pass pass : last) {
      current = pass.run(current, session);
    }
    return new Result(current, session.counts());
  }

  private HloModule repeated(HloModule module, Session session) {
    HloModule current = module;
    HloModule before = null;
    for (int round = 0; round < MOST_ROUNDS && current != before; round++) {
      before = current;
      for (Pass pass : repeated) {
        current = pass.run(current, session);
      }
    }
    return current;
  }
}
