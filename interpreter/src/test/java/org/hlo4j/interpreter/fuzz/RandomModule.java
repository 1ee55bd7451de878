package org.hlo4j.interpreter.fuzz;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Tuple;

/** A valid module and its arguments, made from a seed. */
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

  /** The arguments in arrays of their own. */
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

  /** The last value, or it and others. */
  private static HloInstruction root(Block block, Choices choices) {
    List<HloInstruction> arrays =
        block.instructions().stream().filter(i -> i.shape() instanceof Shape.Array).toList();
    HloInstruction last = arrays.get(arrays.size() - 1);
    if (choices.chance(3)) {
      return last;
    }
    List<HloInstruction> parts = new ArrayList<>(List.of(last));
    for (int more = choices.below(4); more > 0; more--) {
      parts.add(choices.oneOf(arrays));
    }
    return block.add(new Tuple(), parts, List.of());
  }
}
