package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Transpose;

/** Steps that write the patterns that passes and fusions look for. */
final class Pattern {
  static final ImmutableList<Step> ALL =
      ImmutableList.of(
          Pattern::neutral,
          Pattern::neutral,
          Pattern::neutral,
          Pattern::chain,
          Pattern::pipeline,
          Pattern::pipeline,
          Pattern::softmax,
          Pattern::twice,
          Pattern::thereAndBack,
          Pattern::bias);

  private Pattern() {}

  private static Shape.Array shape(HloInstruction instruction) {
    return (Shape.Array) instruction.shape();
  }

  private static HloInstruction unary(Block block, Kind kind, HloInstruction operand) {
    return block.add(new Elementwise(kind), operand);
  }

  private static HloInstruction binary(
      Block block, Kind kind, HloInstruction lhs, HloInstruction rhs) {
    return block.add(new Elementwise(kind), lhs, rhs);
  }

  /**
   * Appends a binary op with a constant such as 0 or 1 on one side, or the same operand on both.
   */
  private static void neutral(Block block, Choices choices) {
    HloInstruction x = block.any();
    HloInstruction y =
        choices.chance(4)
            ? x
            : block.constant(Numbers.neutral(choices, shape(x).elementType()), shape(x));
    List<Kind> kinds =
        List.of(
            Kind.ADD,
            Kind.SUBTRACT,
            Kind.MULTIPLY,
            Kind.DIVIDE,
            Kind.MAXIMUM,
            Kind.AND,
            Kind.OR,
            Kind.XOR,
            Kind.POWER,
            Kind.REMAINDER,
            Kind.SHIFT_LEFT);
    Kind kind =
        choices.oneOf(kinds.stream().filter(k -> k.accepts(shape(x).elementType())).toList());
    boolean swap = choices.chance(3);
    binary(block, kind, swap ? y : x, swap ? x : y);
  }

  /** Appends a long chain of ops of one shape, a candidate for fusion. */
  private static void chain(Block block, Choices choices) {
    HloInstruction x = block.any(shape -> shape.elementType() != ElementType.PRED);
    List<Kind> kinds = List.of(Kind.ADD, Kind.SUBTRACT, Kind.MULTIPLY, Kind.MAXIMUM, Kind.MINIMUM);
    for (int i = 3 + choices.below(20); i > 0; i--) {
      HloInstruction y =
          choices.chance(2)
              ? block.constant(Numbers.neutral(choices, shape(x).elementType()), shape(x))
              : block.like(shape(x));
      x = binary(block, choices.oneOf(kinds), x, y);
    }
  }

  /** Appends steps that move elements or compute, each on the result of the one before. */
  private static void pipeline(Block block, Choices choices) {
    ImmutableList<Step> moves = MovementRows.ALL.values().asList();
    choices.oneOf(moves).take(block, choices);
    for (int i = 1 + choices.below(3); i > 0; i--) {
      block.follow(choices.chance(3) ? OpRows.pointwise(choices) : choices.oneOf(moves));
    }
  }

  private static void softmax(Block block, Choices choices) {
    HloInstruction x = block.any(shape -> shape.rank() > 0 && shape.elementType().isFloating());
    HloInstruction greatest = spread(block, x, Kind.MAXIMUM, Double.NEGATIVE_INFINITY);
    HloInstruction powers =
        unary(block, Kind.EXPONENTIAL, binary(block, Kind.SUBTRACT, x, greatest));
    HloInstruction sum = spread(block, powers, Kind.ADD, 0);
    binary(block, choices.chance(2) ? Kind.DIVIDE : Kind.SUBTRACT, powers, sum);
  }

  /** Returns a reduction over the last dimension, broadcast back to the shape of the operand. */
  private static HloInstruction spread(Block block, HloInstruction x, Kind kind, double initial) {
    ElementType type = shape(x).elementType();
    int last = shape(x).rank() - 1;
    LiteralBuilder scalar = new LiteralBuilder(Shape.of(type));
    scalar.setDouble(0, initial);
    HloInstruction reduced =
        block.add(
            new Reduce(Dims.of(last)),
            List.of(x, block.scalar(scalar.build())),
            List.of(HigherOrderRows.body(block, kind, type)));
    return block.add(
        new Broadcast((Shape.Array) shape(x).withoutLayout(), Dims.range(0, last)), reduced);
  }

  /** Appends a duplicate of an instruction. */
  private static void twice(Block block, Choices choices) {
    HloInstruction again =
        choices.oneOf(
            block.instructions().stream()
                .filter(i -> !i.operands().isEmpty() && i.called().isEmpty())
                .filter(
                    i -> !i.op().opcode().endsWith("-start") && !i.op().opcode().endsWith("-done"))
                .toList());
    block.add(again.op(), again.operands(), again.called());
  }

  /** Appends a conversion, transpose or negation and its inverse. */
  private static void thereAndBack(Block block, Choices choices) {
    HloInstruction x = block.any();
    switch (choices.below(3)) {
      case 0 -> {
        ElementType type = choices.oneOf(List.of(ElementType.values()));
        HloInstruction there = block.add(new Convert(type), x);
        block.add(new Convert(shape(x).elementType()), there);
      }
      case 1 -> {
        Dims order = choices.permutation(shape(x).rank());
        HloInstruction there = block.add(new Transpose(order), x);
        block.add(new Transpose(choices.chance(2) ? order.inverse() : order), there);
      }
      default -> unary(block, Kind.NEGATE, unary(block, Kind.NEGATE, x));
    }
  }

  /** Adds a vector along the last dimension and takes the maximum with a constant. */
  private static void bias(Block block, Choices choices) {
    HloInstruction x =
        block.any(shape -> shape.rank() > 1 && shape.elementType() != ElementType.PRED);
    ElementType type = shape(x).elementType();
    int last = shape(x).rank() - 1;
    HloInstruction vector = block.like(type, Dims.of(shape(x).size(last)));
    HloInstruction spread =
        block.add(new Broadcast((Shape.Array) shape(x).withoutLayout(), Dims.of(last)), vector);
    HloInstruction sum = binary(block, Kind.ADD, x, spread);
    binary(block, Kind.MAXIMUM, sum, block.constant(Numbers.neutral(choices, type), shape(x)));
  }
}
