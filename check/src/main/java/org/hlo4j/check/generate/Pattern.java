package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Convert;
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

  private static final ImmutableList<String> MOVES =
      ImmutableList.of(
          "bitcast",
          "broadcast",
          "concatenate",
          "dynamic-slice",
          "dynamic-update-slice",
          "gather",
          "pad",
          "reshape",
          "reverse",
          "slice",
          "transpose");

  private Pattern() {}

  private static HloInstruction neutral(Block block, HloInstruction x) {
    return block.constant(block.choices().neutral(Sources.type(x)), Sources.shape(x));
  }

  /**
   * Appends a binary op with a constant such as 0 or 1 on one side, or the same operand on both.
   */
  private static void neutral(Block block, Choices choices) {
    HloInstruction x = block.any();
    HloInstruction y = choices.chance(4) ? x : neutral(block, x);
    Kind kind =
        choices.oneOf(
            Stream.of(
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
                    Kind.SHIFT_LEFT)
                .filter(each -> each.accepts(Sources.type(x)))
                .toList());
    boolean swap = choices.chance(3);
    block.apply(kind, swap ? y : x, swap ? x : y);
  }

  /** Appends a long chain of ops of one shape, a candidate for fusion. */
  private static void chain(Block block, Choices choices) {
    HloInstruction x = block.any(shape -> shape.elementType() != ElementType.PRED);
    List<Kind> kinds = List.of(Kind.ADD, Kind.SUBTRACT, Kind.MULTIPLY, Kind.MAXIMUM, Kind.MINIMUM);
    for (int i = 3 + choices.below(20); i > 0; i--) {
      HloInstruction y = choices.chance(2) ? neutral(block, x) : block.like(Sources.shape(x));
      x = block.apply(choices.oneOf(kinds), x, y);
    }
  }

  /** Appends steps that move elements or compute, each on the result of the one before. */
  private static void pipeline(Block block, Choices choices) {
    OpRows.of(choices.oneOf(MOVES)).take(block, choices);
    for (int i = 1 + choices.below(3); i > 0; i--) {
      block.follow(choices.chance(3) ? OpRows.pointwise(choices) : OpRows.of(choices.oneOf(MOVES)));
    }
  }

  private static void softmax(Block block, Choices choices) {
    HloInstruction x = block.any(ElementType::isFloating, shape -> shape.rank() > 0);
    HloInstruction greatest = reduced(block, x, Kind.MAXIMUM, Double.NEGATIVE_INFINITY);
    HloInstruction powers = block.apply(Kind.EXPONENTIAL, block.apply(Kind.SUBTRACT, x, greatest));
    HloInstruction sum = reduced(block, powers, Kind.ADD, 0);
    block.apply(choices.chance(2) ? Kind.DIVIDE : Kind.SUBTRACT, powers, sum);
  }

  /** Returns a reduction over the last dimension, broadcast back to the shape of the operand. */
  private static HloInstruction reduced(Block block, HloInstruction x, Kind kind, double initial) {
    ElementType type = Sources.type(x);
    int last = Sources.shape(x).rank() - 1;
    Literal start = Literal.ofBits(Shape.of(type), i -> type.encode(initial));
    HloInstruction reduced =
        block.add(
            new Reduce(Dims.of(last)),
            List.of(x, block.scalar(start)),
            List.of(Regions.body(block, kind, type)));
    return block.add(new Broadcast(Sources.shape(x), Dims.range(0, last)), reduced);
  }

  /** Appends a duplicate of an instruction. */
  private static void twice(Block block, Choices choices) {
    HloInstruction again =
        choices.oneOf(
            block.instructions().stream()
                .filter(each -> !each.operands().isEmpty() && each.called().isEmpty())
                .filter(each -> !each.op().opcode().matches(".*-(start|done)"))
                .toList());
    block.add(again.op(), again.operands(), again.called());
  }

  /** Appends a conversion, transpose or negation and its inverse. */
  private static void thereAndBack(Block block, Choices choices) {
    HloInstruction x = block.any();
    Dims order = choices.permutation(Sources.shape(x).rank());
    switch (choices.below(3)) {
      case 0 -> {
        ElementType type = choices.oneOf(List.of(ElementType.values()));
        block.add(new Convert(Sources.type(x)), block.add(new Convert(type), x));
      }
      case 1 -> {
        Dims back = choices.chance(2) ? order.inverse() : order;
        block.add(new Transpose(back), block.add(new Transpose(order), x));
      }
      default -> block.apply(Kind.NEGATE, block.apply(Kind.NEGATE, x));
    }
  }

  /** Adds a vector along the last dimension and takes the maximum with a constant. */
  private static void bias(Block block, Choices choices) {
    HloInstruction x = block.any(type -> type != ElementType.PRED, shape -> shape.rank() > 1);
    Shape.Array shape = Sources.shape(x);
    int last = shape.rank() - 1;
    HloInstruction vector = block.like(shape.elementType(), Dims.of(shape.size(last)));
    HloInstruction spread = block.add(new Broadcast(shape, Dims.of(last)), vector);
    block.apply(Kind.MAXIMUM, block.apply(Kind.ADD, x, spread), neutral(block, x));
  }
}
