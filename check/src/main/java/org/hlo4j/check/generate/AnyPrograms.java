package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Tuple;

/**
 * Programs with ops of all kinds, and the steps that each seed has of its own ({@link OwnSteps}).
 */
final class AnyPrograms {
  /** The attempts for each step, since few suit if few ops are allowed. */
  private static final int ATTEMPTS = 20;

  private AnyPrograms() {}

  static Program of(long seed, int steps, Restrictions restrictions) {
    Choices choices = new Choices(seed, restrictions);
    Block block = Block.entry(choices);
    OwnSteps.take(seed, block, choices);
    int count = steps > 0 ? steps : 1 + choices.below(choices.chance(4) ? 40 : 12);
    if (restrictions.ops().isEmpty()) {
      Pattern.steps(block, choices, count, true);
    } else {
      restricted(block, choices, count, restrictions);
    }
    if (block.instructions().isEmpty()) {
      block.fresh(choices.shape());
    }
    return new Program(
        HloModule.create("fuzz", block.close(root(block, choices))),
        ImmutableList.copyOf(block.arguments()),
        ImmutableList.copyOf(block.infeed()));
  }

  /** Takes steps until there are so many instructions of the allowed ops. */
  private static void restricted(
      Block block, Choices choices, int count, Restrictions restrictions) {
    for (int i = 0; i < count * ATTEMPTS; i++) {
      Pattern.steps(block, choices, 1, true);
      long taken =
          block.instructions().stream()
              .filter(each -> restrictions.ops().orElseThrow().contains(each.op().opcode()))
              .count();
      if (taken >= count) {
        return;
      }
    }
  }

  /** Chooses the root: the last array, or a tuple of most unused arrays and some used ones. */
  private static HloInstruction root(Block block, Choices choices) {
    List<HloInstruction> arrays =
        block.instructions().stream().filter(i -> i.shape() instanceof Shape.Array).toList();
    if (choices.chance(6)) {
      return arrays.get(arrays.size() - 1);
    }
    Set<HloInstruction> used = new HashSet<>();
    block.instructions().forEach(instruction -> used.addAll(instruction.operands()));
    List<HloInstruction> parts = new ArrayList<>();
    for (HloInstruction array : arrays) {
      if (used.contains(array) ? choices.chance(30) : !choices.chance(8)) {
        parts.add(array);
      }
    }
    return block.add(new Tuple(), parts, List.of());
  }
}
