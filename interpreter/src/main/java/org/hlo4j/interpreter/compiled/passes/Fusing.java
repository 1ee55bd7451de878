package org.hlo4j.interpreter.compiled.passes;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Parameter;

/**
 * Makes a fusion of each group of instructions that belong together. What no generator makes a
 * kernel of is grouped again without its folds and products, and at last not at all.
 */
final class Fusing extends RewritingPass {
  private static final int MOST_TRIES = 4;

  private final Generators generators;

  Fusing(Generators generators) {
    this.generators = generators;
  }

  @Override
  Work begin(HloModule module, Session session) {
    Effects effects = new Effects(module);
    return (computation, rewriter) -> fused(computation, rewriter, effects);
  }

  private HloComputation fused(HloComputation computation, Rewriter rewriter, Effects effects) {
    Set<HloInstruction> alone = new HashSet<>();
    for (int tries = 1; ; tries++) {
      Grouping grouping = new Grouping(computation, generators, alone);
      Fusions fusions = new Fusions(computation, grouping, rewriter.session());
      Set<HloInstruction> out = new HashSet<>();
      for (Group group : grouping.all()) {
        out.addAll(group.blockers());
        if (group.members().size() > 1 && !fused(group, fusions)) {
          out.addAll(group.troublemakers());
        }
      }
      if (out.isEmpty() || tries == MOST_TRIES) {
        return written(computation, rewriter, fusions.byRoot(), effects);
      }
      alone.addAll(out);
    }
  }

  private boolean fused(Group group, Fusions fusions) {
    if (group.lacksFold()) {
      return false;
    }
    HloInstruction fusion = fusions.of(group);
    boolean isKnown = generators.fusion().test(fusion);
    if (isKnown) {
      fusions.add(group, fusion);
    }
    return isKnown;
  }

  /** The computation with the fusions where their roots were, without what is inside of them. */
  private static HloComputation written(
      HloComputation computation,
      Rewriter rewriter,
      Map<HloInstruction, HloInstruction> fusions,
      Effects effects) {
    Set<HloInstruction> needed = new HashSet<>();
    needed.add(computation.root());
    for (HloInstruction instruction : computation.instructions().reverse()) {
      boolean stays =
          needed.contains(instruction)
              || instruction.op() instanceof Parameter
              || effects.isEffect(instruction)
              || Effects.isDynamic(instruction);
      if (stays) {
        needed.add(instruction);
        needed.addAll(fusions.getOrDefault(instruction, instruction).operands());
      }
    }
    for (HloInstruction instruction : computation.instructions()) {
      if (needed.contains(instruction)) {
        HloInstruction fusion = fusions.getOrDefault(instruction, instruction);
        if (fusion != instruction) {
          rewriter.session().count(((Fusion) fusion.op()).kind() + " fusion");
        }
        rewriter.replace(instruction, rewriter.updated(fusion));
      }
    }
    return rewriter.finish(computation);
  }
}
