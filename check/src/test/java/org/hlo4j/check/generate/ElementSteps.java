package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Select;

/** Steps with element-wise ops. */
final class ElementSteps {
  static final ImmutableList<Step> ALL =
      ImmutableList.of(
          ElementSteps::elementwise,
          ElementSteps::elementwise,
          ElementSteps::elementwise,
          ElementSteps::elementwise,
          ElementSteps::arithmetic,
          ElementSteps::arithmetic,
          ElementSteps::compare,
          ElementSteps::select,
          ElementSteps::clamp,
          ElementSteps::convert,
          ElementSteps::convert,
          ElementSteps::bitcast,
          ElementSteps::reducePrecision,
          ElementSteps::map);

  private ElementSteps() {}

  /** Appends an op of any kind on an array that it accepts. */
  static void elementwise(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block);
    Shape.Array shape = (Shape.Array) operand.shape();
    List<Kind> kinds =
        Arrays.stream(Kind.values()).filter(kind -> kind.accepts(shape.elementType())).toList();
    apply(block, choices.oneOf(kinds), operand, shape);
  }

  private static HloInstruction apply(
      Block block, Kind kind, HloInstruction operand, Shape.Array shape) {
    return kind.arity() == 1
        ? block.add(new Elementwise(kind), operand)
        : block.add(new Elementwise(kind), operand, Numbers.like(block, shape));
  }

  /** Appends an op of one of the most common kinds. */
  static void arithmetic(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block, shape -> shape.elementType() != ElementType.PRED);
    List<Kind> kinds =
        List.of(Kind.ADD, Kind.SUBTRACT, Kind.MULTIPLY, Kind.DIVIDE, Kind.NEGATE, Kind.MAXIMUM);
    apply(block, choices.oneOf(kinds), operand, (Shape.Array) operand.shape());
  }

  private static void compare(Block block, Choices choices) {
    HloInstruction lhs = Numbers.any(block);
    Shape.Array shape = (Shape.Array) lhs.shape();
    boolean total = shape.elementType().isFloating() && choices.chance(3);
    block.add(
        new Compare(
            choices.oneOf(List.of(Compare.Direction.values())),
            total ? Optional.of(Compare.Type.TOTALORDER) : Optional.empty()),
        lhs,
        choices.chance(8) ? lhs : Numbers.like(block, shape));
  }

  private static void select(Block block, Choices choices) {
    HloInstruction onTrue = Numbers.any(block);
    Shape.Array shape = (Shape.Array) onTrue.shape();
    Shape.Array pred =
        choices.chance(4) ? Shape.of(ElementType.PRED) : shape.withElementType(ElementType.PRED);
    block.add(new Select(), Numbers.like(block, pred), onTrue, Numbers.like(block, shape));
  }

  private static void clamp(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block, shape -> !shape.elementType().isComplex());
    Shape.Array shape = (Shape.Array) operand.shape();
    Shape.Array bound = choices.chance(2) ? Shape.of(shape.elementType()) : shape;
    block.add(new Clamp(), Numbers.like(block, bound), operand, Numbers.like(block, bound));
  }

  private static void convert(Block block, Choices choices) {
    ElementType type =
        choices.chance(3) ? choices.oneOf(List.of(ElementType.values())) : choices.type();
    block.add(new Convert(type), Numbers.any(block));
  }

  private static void bitcast(Block block, Choices choices) {
    block.add(new BitcastConvert(choices.oneOf(List.of(ElementType.values()))), Numbers.any(block));
  }

  private static void reducePrecision(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block, shape -> shape.elementType().isFloating());
    block.add(new ReducePrecision(1 + choices.below(8), choices.below(24)), operand);
  }

  /** Appends a map of a scalar computation. */
  private static void map(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block, shape -> shape.elementCount() < 5000);
    Shape.Array shape = (Shape.Array) operand.shape();
    Shape.Array scalar = Shape.of(shape.elementType());
    Block body = block.inner(Numbers.CALLED, List.of(scalar, scalar), 1);
    elementwise(body, choices);
    elementwise(body, choices);
    block.add(
        new Map(org.hlo4j.hlo.Dims.range(0, shape.rank())),
        List.of(operand, Numbers.like(block, shape)),
        List.of(body.close(body.instructions().getLast())));
  }
}
