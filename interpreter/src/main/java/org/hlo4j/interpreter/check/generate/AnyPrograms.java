package org.hlo4j.interpreter.check.generate;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.check.Program;

/**
 * Programs with ops of all kinds. Each seed also has a few element-wise ops of its own, each of one
 * type: one seed after the other, all ops and all their types are reached, common types first.
 */
final class AnyPrograms {
  /** The attempts for each step, since few suit if few ops are allowed. */
  private static final int ATTEMPTS = 20;

  /** How many element-wise ops each seed has of its own. */
  private static final int OWN = 12;

  /** The element-wise ops by opcode, with random parameters. */
  private static final ImmutableMap<String, Function<Choices, Op>> POINTWISE =
      ImmutableMap.<String, Function<Choices, Op>>builder()
          .putAll(
              Arrays.stream(Elementwise.Kind.values())
                  .collect(
                      toImmutableMap(
                          Elementwise.Kind::mnemonic, kind -> any -> new Elementwise(kind))))
          .put(
              "compare",
              choices ->
                  new Compare(choices.oneOf(List.of(Compare.Direction.values())), Optional.empty()))
          .put("convert", choices -> new Convert(choices.oneOf(Choices.COMMON)))
          .buildOrThrow();

  private AnyPrograms() {}

  static Program of(long seed, int steps, Restrictions restrictions) {
    Choices choices = new Choices(seed, restrictions);
    Block block = Block.entry(choices);
    for (int i = 0; i < OWN; i++) {
      elementwise(OWN * seed + i, block, choices);
    }
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

  /** Appends an element-wise op: the op and the type that a number stands for. */
  private static void elementwise(long number, Block block, Choices choices) {
    Restrictions restrictions = choices.restrictions();
    List<Function<Choices, Op>> ops =
        POINTWISE.entrySet().stream()
            .filter(each -> restrictions.allows(each.getKey()))
            .map(Map.Entry::getValue)
            .toList();
    List<ElementType> types =
        Stream.concat(Choices.COMMON.stream(), Arrays.stream(ElementType.values()))
            .distinct()
            .filter(restrictions::allows)
            .toList();
    if (ops.isEmpty() || types.isEmpty()) {
      return;
    }
    Op op = ops.get((int) Long.remainderUnsigned(number, ops.size())).apply(choices);
    List<ElementType> accepted =
        types.stream()
            .filter(type -> !(op instanceof Elementwise e) || e.kind().accepts(type))
            .toList();
    if (accepted.isEmpty()) {
      return;
    }
    long round = Long.divideUnsigned(number, ops.size());
    Shape.Array shape =
        choices
            .shape()
            .withElementType(accepted.get((int) Long.remainderUnsigned(round, accepted.size())));
    boolean isUnary =
        op instanceof Convert || (op instanceof Elementwise e && e.kind().arity() == 1);
    try {
      HloInstruction operand = block.operand(shape);
      block.add(
          op,
          isUnary
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
