package org.hlo4j.interpreter.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.check.Program;

/**
 * Programs with ops of all kinds. Each seed also has one element-wise op of its own, of one type:
 * one seed after the other, all kinds and all their types are reached, common types first.
 */
final class AnyPrograms {
  /** The attempts for each step, since few suit if few ops are allowed. */
  private static final int ATTEMPTS = 20;

  private AnyPrograms() {}

  static Program of(long seed, int steps, Restrictions restrictions) {
    Choices choices = new Choices(seed, restrictions);
    Block block = Block.entry(choices);
    elementwise(seed, block, choices);
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
        ImmutableList.copyOf(block.arguments()));
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

  /** Appends the element-wise op of a seed. */
  private static void elementwise(long seed, Block block, Choices choices) {
    Restrictions restrictions = choices.restrictions();
    List<Elementwise.Kind> kinds =
        Arrays.stream(Elementwise.Kind.values())
            .filter(kind -> restrictions.allows(kind.mnemonic()))
            .toList();
    if (kinds.isEmpty()) {
      return;
    }
    Elementwise.Kind kind = kinds.get((int) Long.remainderUnsigned(seed, kinds.size()));
    List<ElementType> types =
        Stream.concat(Choices.COMMON.stream(), Arrays.stream(ElementType.values()))
            .distinct()
            .filter(kind::accepts)
            .filter(restrictions::allows)
            .toList();
    if (types.isEmpty()) {
      return;
    }
    long number = Long.divideUnsigned(seed, kinds.size());
    ElementType type = types.get((int) Long.remainderUnsigned(number, types.size()));
    Shape.Array shape = choices.shape().withElementType(type);
    try {
      HloInstruction operand = block.operand(shape);
      block.add(
          new Elementwise(kind),
          kind.arity() == 1
              ? List.of(operand)
              : List.of(operand, choices.chance(6) ? operand : block.operand(shape)),
          List.of());
    } catch (HloException unsuitable) {
      // Too large, or the op takes other types together.
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
