package org.hlo4j.interpreter.compiled.passes;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.engine.Effects;

/**
 * The fusion pass: makes a fusion instruction of each group of instructions that can be computed by
 * one kernel. A group for which no generator makes a kernel is divided, and its computation is
 * grouped again. Groups that still have no kernel after the last try are not fused.
 */
final class Fusing extends Pass {
  private static final int MAX_TRIES = 6;

  private final Generators generators;

  Fusing(Generators generators) {
    this.generators = generators;
  }

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    Effects effects = session.effects();
    return (computation, rewriter) -> fused(computation, rewriter, effects);
  }

  private HloComputation fused(HloComputation computation, Rewriter rewriter, Effects effects) {
    FusionExclusions exclusions = new FusionExclusions();
    Map<List<Object>, Optional<HloInstruction>> known = new HashMap<>();
    for (int tries = 1; ; tries++) {
      Grouping grouping = new Grouping(computation, generators, exclusions, effects);
      Fusions fusions = new Fusions(grouping, rewriter.session());
      grouping.all().forEach(group -> exclusions.addRootsOnly(group.blockers()));
      boolean isLast = tries == MAX_TRIES;
      boolean isBlocked = exclusions.hasGrown();
      if (isLast || !isBlocked) {
        // the order of merged groups is valid only if all become fusions, so the last are not
        // merged
        HorizontalFusion merging = new HorizontalFusion(grouping, exclusions, computation.root());
        for (Group group : isLast ? grouping.all() : merging.merged()) {
          if (group.members().size() > 1 && !isFused(group, fusions, known)) {
            exclusions.excludeCauses(group, grouping);
          }
        }
      }
      if (isLast || !(isBlocked || exclusions.hasGrown())) {
        return written(computation, rewriter, fusions, effects);
      }
    }
  }

  private boolean isFused(
      Group group, Fusions fusions, Map<List<Object>, Optional<HloInstruction>> known) {
    if (group.lacksReduction()) {
      return false;
    }
    Optional<HloInstruction> fusion =
        known.computeIfAbsent(
            fusions.key(group), key -> Optional.of(fusions.of(group)).filter(generators.fusion()));
    fusion.ifPresent(each -> fusions.add(group, each));
    return fusion.isPresent();
  }

  /**
   * Returns the computation with each fusion at the position of its root, and without the
   * instructions that are only used inside of fusions.
   */
  private static HloComputation written(
      HloComputation computation, Rewriter rewriter, Fusions fusions, Effects effects) {
    Set<HloInstruction> needed = new HashSet<>();
    needed.add(computation.root());
    for (HloInstruction instruction : computation.instructions().reverse()) {
      boolean stays =
          fusions.outputs(instruction).stream().anyMatch(needed::contains)
              || effects.isRequired(instruction);
      if (stays) {
        needed.addAll(fusions.outputs(instruction));
        needed.addAll(fusions.inputs(instruction));
      }
    }
    for (HloInstruction instruction : computation.instructions()) {
      if (fusions.outputs(instruction).stream().anyMatch(needed::contains)) {
        fusions.write(instruction, rewriter);
      }
    }
    return rewriter.finish(computation);
  }
}
