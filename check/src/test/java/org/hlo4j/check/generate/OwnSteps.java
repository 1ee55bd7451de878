package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Op;

/**
 * The steps that a seed has of its own: ops of one type, on operands that are mostly parameters of
 * all kinds of numbers, and pairs of ops that move elements. The next seed has the next ones, so
 * that each op of each type is reached, those of common types more often, and each pair.
 */
final class OwnSteps {
  /** How many steps of common types, and of all types, each seed has. */
  private static final int COMMON = 8;

  private static final int OTHERS = 6;

  /** How many pairs of ops that move elements each seed has. */
  private static final int MOVES = 3;

  /** A step, for the types that it takes. */
  private record OwnStep(String opcode, Predicate<ElementType> accepts, Write write) {
    interface Write {
      void to(Block block, Choices choices, ElementType type);
    }
  }

  /** A step and the type of its operands. */
  private record Typed(OwnStep step, ElementType type) {}

  private static final ImmutableList<OwnStep> STEPS =
      Stream.of(elementwise(), comparisons(), conversions(), reductions(), products())
          .flatMap(each -> each)
          .collect(ImmutableList.toImmutableList());

  private OwnSteps() {}

  /** Takes the steps of a seed. */
  static void take(long seed, Block block, Choices choices) {
    take(COMMON, seed, typed(Choices.COMMON), block, choices);
    take(OTHERS, seed, typed(List.of(ElementType.values())), block, choices);
    moves(seed, block, choices);
  }

  private static void moves(long seed, Block block, Choices choices) {
    int count = MoveSteps.ALL.size();
    for (int i = 0; i < MOVES; i++) {
      int number = (int) Long.remainderUnsigned(MOVES * seed + i, (long) count * count);
      try {
        array(block, choices.type());
        block.draft.isChain = true;
        MoveSteps.ALL.get(number / count).take(block, choices);
        MoveSteps.ALL.get(number % count).take(block, choices);
      } catch (HloException unsuitable) {
        // The steps do not apply to this shape.
      } finally {
        block.draft.isChain = false;
      }
    }
  }

  private static void take(int count, long seed, List<Typed> steps, Block block, Choices choices) {
    for (int i = 0; i < count && !steps.isEmpty(); i++) {
      Typed typed = steps.get((int) Long.remainderUnsigned(count * seed + i, steps.size()));
      try {
        typed.step().write().to(block, choices, typed.type());
      } catch (HloException unsuitable) {
        // Too large, or the op takes other types together.
      }
    }
  }

  /** Returns the steps that may be taken, the types of each after one another. */
  private static List<Typed> typed(List<ElementType> types) {
    List<Typed> steps = new ArrayList<>();
    for (ElementType type : types.stream().distinct().toList()) {
      for (OwnStep step : STEPS) {
        if (step.accepts().test(type)) {
          steps.add(new Typed(step, type));
        }
      }
    }
    return steps;
  }

  private static Stream<OwnStep> elementwise() {
    return Arrays.stream(Kind.values())
        .map(kind ->
            new OwnStep(
                kind.mnemonic(),
                kind::accepts,
                (block, choices, type) -> apply(block, choices, type, new Elementwise(kind))));
  }

  private static Stream<OwnStep> comparisons() {
    return Arrays.stream(Compare.Direction.values())
        .map(direction ->
            new OwnStep(
                "compare",
                type -> true,
                (block, choices, type) -> {
                  boolean isTotal = type.isFloating() && choices.chance(3);
                  Optional<Compare.Type> order =
                      isTotal ? Optional.of(Compare.Type.TOTALORDER) : Optional.empty();
                  apply(block, choices, type, new Compare(direction, order));
                }));
  }

  private static Stream<OwnStep> conversions() {
    return Choices.COMMON.stream()
        .distinct()
        .flatMap(to ->
            Stream.of(
                new OwnStep(
                    "convert",
                    type -> type != to,
                    (block, choices, type) -> block.add(new Convert(to), array(block, type))),
                new OwnStep(
                    "bitcast-convert",
                    type -> type != to,
                    (block, choices, type) -> bitcast(block, type, to))));
  }

  private static Stream<OwnStep> reductions() {
    return Regions.REDUCTIONS.stream()
        .distinct()
        .map(kind ->
            new OwnStep(
                "reduce",
                kind::accepts,
                (block, choices, type) -> {
                  HloInstruction operand = array(block, type);
                  Dims some = Numbers.subset(choices, rank(operand));
                  ReduceSteps.reduce(
                      block, kind, operand, some.isEmpty() ? Dims.of(rank(operand) - 1) : some);
                }));
  }

  private static Stream<OwnStep> products() {
    return Stream.of(
        new OwnStep(
            "dot",
            type -> true,
            (block, choices, type) -> {
              long inner = 1L + choices.below(20);
              Dims left = Dims.of(1 + choices.below(9), inner);
              Dims right = Dims.of(inner, 1 + choices.below(40));
              block.add(
                  Dot.general(Dims.of(), Dims.of(1), Dims.of(), Dims.of(0)),
                  operand(block, Shape.of(type, left)),
                  operand(block, Shape.of(type, right)));
            }));
  }

  private static int rank(HloInstruction instruction) {
    return ((Shape.Array) instruction.shape()).rank();
  }

  /** Appends an op with one or two operands of a shape, sometimes twice the same. */
  private static void apply(Block block, Choices choices, ElementType type, Op op) {
    HloInstruction lhs = array(block, type);
    boolean isUnary = op instanceof Elementwise unary && unary.kind().arity() == 1;
    block.add(
        op,
        isUnary
            ? List.of(lhs)
            : List.of(lhs, choices.chance(8) ? lhs : operand(block, (Shape.Array) lhs.shape())),
        List.of());
  }

  private static void bitcast(Block block, ElementType from, ElementType to) {
    Shape.Array shape = shape(block.choices, from);
    int ratio = BitcastConvert.width(to) / BitcastConvert.width(from);
    Dims sizes = ratio > 1 ? shape.sizes().inserted(shape.rank(), ratio) : shape.sizes();
    block.add(new BitcastConvert(to), operand(block, Shape.of(from, sizes)));
  }

  private static HloInstruction array(Block block, ElementType type) {
    return operand(block, shape(block.choices, type));
  }

  /** Returns a shape of this program, or one with enough elements for all kinds of numbers. */
  private static Shape.Array shape(Choices choices, ElementType type) {
    return choices.chance(3)
        ? Numbers.shape(choices).withElementType(type)
        : Shape.of(
            type,
            choices.chance(2)
                ? Dims.of(16 + choices.below(240))
                : Dims.of(1 + choices.below(8), 1 + choices.below(40)));
  }

  private static HloInstruction operand(Block block, Shape.Array shape) {
    return block.choices.chance(4)
        ? block.leaf(shape)
        : block.parameter(block.choices.literal(shape, Choices.MIXED));
  }
}
