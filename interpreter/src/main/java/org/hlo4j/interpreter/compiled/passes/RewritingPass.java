package org.hlo4j.interpreter.compiled.passes;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;

/**
 * A pass that goes through the computations that are run as they are, callees first: the entry, and
 * what calls, conditionals, loops and fusions run. Those that reductions and the like apply to
 * scalars stay as they are, since how they are written decides how they are computed.
 */
abstract class RewritingPass implements Pass {
  @Override
  public final HloModule run(HloModule module, Session session) {
    if (!concerns(module)) {
      return module;
    }
    Set<HloComputation> run = new HashSet<>();
    Set<HloComputation> applied = new HashSet<>();
    divide(module, run, applied);
    Map<HloComputation, HloComputation> became = new HashMap<>();
    Work work = begin(module, session);
    for (HloComputation computation : module.computations()) {
      if (run.contains(computation)) {
        Rewriter rewriter = new Rewriter(session, became, applied.contains(computation));
        became.put(computation, work.rewrite(computation, rewriter));
      }
    }
    HloComputation entry = became.getOrDefault(module.entry(), module.entry());
    return entry == module.entry()
        ? module
        : HloModule.create(module.name(), entry)
            .withText(module.attributes(), module.stackFrames());
  }

  /** What is done in one run. */
  interface Work {
    /** A computation anew; the same one if there is nothing to do. */
    HloComputation rewrite(HloComputation computation, Rewriter rewriter);
  }

  /** What becomes of an instruction, given it with what became of its operands. */
  interface Rule {
    /** The instruction in its place, which may be itself. */
    HloInstruction apply(HloInstruction current, Rewriter rewriter);
  }

  /** Each instruction by itself, those with dynamic sizes left as they are. */
  static Work each(Rule rule) {
    return (computation, rewriter) -> {
      for (HloInstruction instruction : computation.instructions()) {
        HloInstruction current = rewriter.updated(instruction);
        boolean isLeft = Effects.isDynamic(instruction);
        rewriter.replace(instruction, isLeft ? current : rule.apply(current, rewriter));
      }
      return rewriter.finish(computation);
    };
  }

  /** Whether there may be anything to do: asked first, for a pass takes Java time to load. */
  boolean concerns(HloModule module) {
    return true;
  }

  /** Begins a run. */
  abstract Work begin(HloModule module, Session session);

  /** Callers come behind callees, so that going backwards meets each after all its callers. */
  private static void divide(
      HloModule module, Set<HloComputation> run, Set<HloComputation> applied) {
    run.add(module.entry());
    for (HloComputation computation : module.computations().reverse()) {
      boolean isRun = run.contains(computation);
      boolean isApplied = applied.contains(computation);
      if (!isRun && !isApplied) {
        continue;
      }
      for (HloInstruction instruction : computation.instructions()) {
        if (instruction.called().isEmpty()) {
          continue;
        }
        if (isRun && OpFamily.of(instruction.op()) == OpFamily.CONTROL) {
          run.addAll(instruction.called());
        }
        if (isApplied || OpFamily.of(instruction.op()) != OpFamily.CONTROL) {
          applied.addAll(instruction.called());
        }
      }
    }
  }
}
