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
 *
 * <p>Passes before fusion may look at the whole computation to decide how something is computed, as
 * layout assignment does. So they run once: if arguments are bound, the module is split after them,
 * and its parts are fused.
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
  private final ImmutableList<Pass> last =
      ImmutableList.of(new TransposedDots(), new ReductionSplitting(), new DeadCode());
  private final ImmutableList<Pass> repeated;
  private final Fusing fusing;

  /**
   * The result of the passes.
   *
   * @param unfused the module before fusion
   * @param module the module to run
   * @param counts how often the passes did what, such as "dead" or "loop fusion"
   */
  public record Result(HloModule unfused, HloModule module, ImmutableMap<String, Integer> counts) {}

  private Pipeline(Generators generators, InstructionEvaluator evaluator) {
    this.repeated =
        ImmutableList.of(
            new Simplification(),
            new ConstantFolding(evaluator),
            new CommonSubexpressions(),
            new LoopConstants(),
            new Unrolling(),
            new MinorDimensionInterchange());
    this.fusing = new Fusing(generators);
  }

  /**
   * {@return all passes}
   *
   * @param generators the capabilities of the code generators
   * @param evaluator evaluates constants
   */
  public static Pipeline of(Generators generators, InstructionEvaluator evaluator) {
    return new Pipeline(generators, evaluator);
  }

  /**
   * Runs the passes.
   *
   * @param module a module that the verifier accepts
   * @return a module that computes the same, and counts of what was done
   */
  public Result run(HloModule module) {
    Session session = new Session(module);
    HloModule current = all(first, module, session);
    current = repeated(current, session);
    HloModule laidOut = new LayoutAssignment().run(current, session);
    current = laidOut == current ? current : repeated(laidOut, session);
    HloModule moved = new LoopInvariants().run(current, session);
    current = moved == current ? current : repeated(moved, session);
    HloModule unfused = all(last, current, session);
    return new Result(unfused, fusing.run(unfused, session), session.counts());
  }

  /**
   * Runs fusion alone.
   *
   * @param unfused a part of what the other passes made
   * @return a module that computes the same, and counts of what was done
   */
  public Result fuse(HloModule unfused) {
    Session session = new Session(unfused);
    return new Result(unfused, fusing.run(unfused, session), session.counts());
  }

  private static HloModule all(ImmutableList<Pass> passes, HloModule module, Session session) {
    HloModule current = module;
    for (Pass pass : passes) {
      current = pass.run(current, session);
    }
    return current;
  }

  private HloModule repeated(HloModule module, Session session) {
    HloModule current = module;
    HloModule before = null;
    for (int round = 0; round < MAX_ROUNDS && current != before; round++) {
      before = current;
      current = all(repeated, current, session);
    }
    return current;
  }
}
