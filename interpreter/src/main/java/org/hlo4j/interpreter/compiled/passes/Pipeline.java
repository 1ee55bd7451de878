package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.engine.InstructionEvaluator;

/**
 * The pipeline of all passes. Inlining, dead code elimination, tuples of one array and the
 * splitting of complex numbers run once. Then simplification, constant folding, common
 * subexpressions, sinking of loop constants, unrolling and interchange of dimensions run for a few
 * rounds, until nothing changes, and again after loop-invariant code motion if that moved anything.
 * Last come transposed dots, the splitting of reductions, dead code elimination and fusion. The
 * result computes the same bits as the given module. It is valid, except that a fused or
 * asynchronous computation may have several callers.
 */
public final class Pipeline {
  private static final int MAX_ROUNDS = 8;

  private final ImmutableList<Pass> first =
      ImmutableList.of(
          new Inlining(),
          new DeadCode(),
          new SingleTuples(),
          new ComplexLoopStates(),
          new ComplexParts());
  private final ImmutableList<Pass> repeated;
  private final ConstantFolding folding;
  private final ImmutableList<Pass> last;

  /**
   * The result of the passes.
   *
   * @param module the module to run
   * @param counts how often the passes did what, such as {@code dead} or {@code loop fusion}
   */
  public record Result(HloModule module, ImmutableMap<String, Integer> counts) {}

  private Pipeline(InstructionEvaluator evaluator, ImmutableList<Pass> last) {
    this.folding = new ConstantFolding(evaluator);
    this.repeated =
        ImmutableList.of(
            new Simplification(),
            folding,
            new CommonSubexpressions(),
            new LoopConstants(),
            new Unrolling(),
            new MinorDimensionInterchange());
    this.last = last;
  }

  /**
   * {@return all passes}
   *
   * @param generators the capabilities of the code generators
   * @param evaluator evaluates constants
   */
  public static Pipeline of(Generators generators, InstructionEvaluator evaluator) {
    return new Pipeline(
        evaluator,
        ImmutableList.of(
            new TransposedDots(),
            new ReductionSplitting(),
            new DeadCode(),
            new Fusing(generators)));
  }

  /**
   * {@return all passes but fusion}
   *
   * @param evaluator evaluates constants
   */
  public static Pipeline withoutFusion(InstructionEvaluator evaluator) {
    return new Pipeline(evaluator, ImmutableList.of(new DeadCode()));
  }

  /**
   * Runs the passes.
   *
   * @param module a module that the verifier accepts
   * @return a module that computes the same, and counts of what was done
   */
  public Result run(HloModule module) {
    Session session = new Session(module);
    HloModule current = module;
    for (Pass pass : first) {
      current = pass.run(current, session);
    }
    current = repeated(current, session);
    HloModule laidOut = new LayoutAssignment().run(current, session);
    current = laidOut == current ? current : repeated(laidOut, session);
    HloModule moved = new LoopInvariants(folding).run(current, session);
    current = moved == current ? current : repeated(moved, session);
    for (Pass pass : last) {
      current = pass.run(current, session);
    }
    return new Result(current, session.counts());
  }

  private HloModule repeated(HloModule module, Session session) {
    HloModule current = module;
    HloModule before = null;
    for (int round = 0; round < MAX_ROUNDS && current != before; round++) {
      before = current;
      for (Pass pass : repeated) {
        current = pass.run(current, session);
      }
    }
    return current;
  }
}
