package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Tuple;

/**
 * Programs with ops of all kinds, and the steps that each seed has of its own ({@link OwnSteps}).
 */
final class AnyPrograms {
  private static final ImmutableList<Step> PATTERNS =
      ImmutableList.of((block, choices) -> OpRows.of("pattern", choices).take(block, choices));

  private static final ImmutableList<ImmutableList<Step>> FAMILIES =
      ImmutableList.of(
          ElementSteps.ALL,
          ElementSteps.ALL,
          ElementSteps.ALL,
          MoveSteps.ALL,
          MoveSteps.ALL,
          ReduceSteps.ALL,
          ReduceSteps.ALL,
          PATTERNS,
          PATTERNS,
          IndexSteps.ALL,
          ProductSteps.ALL,
          RareSteps.ALL,
          DeviceSteps.ALL);

  /** The steps that call computations, in the entry only. */
  private static final ImmutableList<ImmutableList<Step>> IN_ENTRY =
      ImmutableList.<ImmutableList<Step>>builder().addAll(FAMILIES).add(ControlSteps.ALL).build();

  private AnyPrograms() {}

  static Program of(long seed) {
    Choices choices = new Choices(seed, new Restrictions());
    Block block = Block.entry(new ProgramDraft(choices));
    OwnSteps.take(seed, block, choices);
    steps(block, choices, 1 + choices.below(choices.chance(4) ? 40 : 12), true);
    if (block.instructions().isEmpty()) {
      block.leaf(Numbers.shape(choices));
    }
    return ProgramGenerator.program("fuzz", block, root(block, choices));
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

  /** Takes steps of all kinds. Only the entry computation calls others. */
  static void steps(Block block, Choices choices, int count, boolean isEntry) {
    ImmutableList<ImmutableList<Step>> families = isEntry ? IN_ENTRY : FAMILIES;
    for (int i = 0; i < count; i++) {
      try {
        choices.oneOf(choices.oneOf(families)).take(block, choices);
      } catch (HloException unsuitable) {
        // The step does not apply here; try another one.
      }
    }
  }
}
