package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.SetMultimap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Family;

/**
 * A pass: rewrites a module into one that computes the same, bit for bit. It has no state between
 * runs. It rewrites the computations that are run as they are, callees first: the entry, and those
 * that calls, conditionals, loops and fusions run. Computations that ops such as reductions apply
 * to scalars are not rewritten, since their form decides how they are computed.
 */
abstract class Pass {
  /**
   * Runs the pass.
   *
   * @param module the module before the pass
   * @param session the names in use, and the counts of what passes do
   * @return the module after the pass; the same one if there was nothing to do
   */
  final HloModule run(HloModule module, Session session) {
    if (!mayApply(module)) {
      return module;
    }
    Set<HloComputation> run = new HashSet<>();
    Set<HloComputation> applied = new HashSet<>();
    divide(module, run, applied);
    Map<HloComputation, HloComputation> became = new HashMap<>();
    ModuleRewrite work = begin(module, session);
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

  /** The rewriting of the computations of one module. */
  interface ModuleRewrite {
    /** Returns the rewritten computation; the same one if there is nothing to do. */
    HloComputation rewrite(HloComputation computation, Rewriter rewriter);
  }

  /** The rewriting of one instruction, whose operands have been rewritten already. */
  interface Rule {
    /**
     * Returns the replacement of an instruction, which may be the instruction itself.
     *
     * @param given the instruction before the pass
     * @param current the instruction with the operands and computations as rewritten
     * @param rewriter where the replacement is written
     */
    HloInstruction apply(HloInstruction given, HloInstruction current, Rewriter rewriter);
  }

  /**
   * Returns a rewriting of each instruction by itself. Those with effects or dynamic sizes stay.
   */
  static ModuleRewrite rewriteEach(Rule rule) {
    return (computation, rewriter) ->
        rewriter.rewrite(
            computation,
            instruction -> {
              HloInstruction current = rewriter.updated(instruction);
              return rewriter.session().effects().isReplaceable(instruction)
                  ? rule.apply(instruction, current, rewriter)
                  : current;
            });
  }

  /**
   * Returns whether there may be anything to do. This is asked before the run, since Java takes
   * time to load the classes of a pass.
   */
  boolean mayApply(HloModule module) {
    return true;
  }

  /** Returns whether a predicate holds for any instruction of a module. */
  static boolean anyMatch(HloModule module, Predicate<HloInstruction> predicate) {
    return module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .anyMatch(predicate);
  }

  /** Returns the users of each instruction of some computations, in order. */
  static SetMultimap<HloInstruction, HloInstruction> users(List<HloComputation> computations) {
    SetMultimap<HloInstruction, HloInstruction> users = LinkedHashMultimap.create();
    for (HloComputation computation : computations) {
      for (HloInstruction user : computation.instructions()) {
        user.operands().forEach(operand -> users.put(operand, user));
      }
    }
    return users;
  }

  /** Begins a run. */
  abstract ModuleRewrite begin(HloModule module, Session session);

  /**
   * Collects the computations that are run and those that are applied. Callers come after their
   * callees, so a backward walk visits each computation after all its callers.
   */
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
        if (isRun && OpTraits.of(instruction.op()).family() == Family.CONTROL) {
          run.addAll(instruction.called());
        }
        if (isApplied || OpTraits.of(instruction.op()).family() != Family.CONTROL) {
          applied.addAll(instruction.called());
        }
      }
    }
  }
}
