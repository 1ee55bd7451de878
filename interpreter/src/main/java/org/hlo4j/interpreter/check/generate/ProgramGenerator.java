package org.hlo4j.interpreter.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.check.Program;

/** A generator of random valid programs. The same seed gives the same program. */
public enum ProgramGenerator {
  /** Programs with ops of all kinds. */
  ANY(ProgramGenerator::any),
  /** Loops and conditionals over arrays. */
  STATE(StatePrograms::of),
  /** Programs that look at the bits of NaNs. */
  NAN(NaNPrograms::of),
  /** Programs with sizes of 0 and with sizes beyond int. */
  DIMENSIONS(DimensionPrograms::of),
  /** Long chains in which operands are shared. */
  SHARED(SharedPrograms::of);

  @SuppressWarnings("ImmutableEnumChecker") // a reference to a static method
  private final LongFunction<Program> generator;

  ProgramGenerator(LongFunction<Program> generator) {
    this.generator = generator;
  }

  /**
   * Generates the program of a seed.
   *
   * @param seed the seed
   * @return the program; empty if the choices of this seed do not give a valid one
   */
  public Optional<Program> program(long seed) {
    try {
      return Optional.of(generator.apply(seed));
    } catch (HloException unsuitable) {
      return Optional.empty();
    }
  }

  private static Program any(long seed) {
    Choices choices = new Choices(seed);
    Block block = Block.entry(choices);
    Pattern.steps(block, choices, 1 + choices.below(choices.chance(4) ? 40 : 12), true);
    if (block.instructions().isEmpty()) {
      block.fresh(choices.shape());
    }
    return new Program(
        HloModule.create("fuzz", block.close(root(block, choices))),
        ImmutableList.copyOf(block.arguments()));
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
