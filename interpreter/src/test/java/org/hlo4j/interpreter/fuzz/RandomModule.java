package org.hlo4j.interpreter.fuzz;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Tuple;

/** A valid module and its arguments, generated from a seed. */
record RandomModule(HloModule module, ImmutableList<Literal> arguments) {
  static RandomModule of(long seed) {
    Choices choices = new Choices(seed);
    Block block = Block.entry(choices);
    Pattern.steps(block, choices, 1 + choices.below(choices.chance(4) ? 40 : 12), true);
    if (block.instructions().isEmpty()) {
      block.fresh(choices.shape());
    }
    return new RandomModule(
        HloModule.create("fuzz", block.close(root(block, choices))),
        ImmutableList.copyOf(block.arguments()));
  }

  /** Returns deep copies of the arguments. */
  ImmutableList<Literal> copies() {
    return arguments.stream()
        .map(argument -> {
          LiteralBuilder copy = new LiteralBuilder(argument.arrayShape());
          for (int i = 0; i < argument.elementCount(); i++) {
            copy.copy(i, argument, i);
          }
          return copy.build();
        })
        .collect(ImmutableList.toImmutableList());
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
