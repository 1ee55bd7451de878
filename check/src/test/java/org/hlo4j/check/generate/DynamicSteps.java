package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.DynamicReshape;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.SetDimensionSize;

/** Steps with arrays whose sizes are known only at run time. */
final class DynamicSteps {
  static final ImmutableList<Step> ALL =
      ImmutableList.of(DynamicSteps::cut, DynamicSteps::cut, DynamicSteps::reshape);

  private DynamicSteps() {}

  private static Shape.Array shape(HloInstruction instruction) {
    return (Shape.Array) instruction.shape().withoutLayout();
  }

  /** Appends an array of a dynamic size and steps on it, and often a result of a static size. */
  private static void cut(Block block, Choices choices) {
    HloInstruction operand = block.any(shape -> shape.rank() > 0 && shape.elementCount() < 2000);
    int dimension = choices.below(shape(operand).rank());
    HloInstruction size = size(block, choices.below((int) shape(operand).size(dimension) + 1));
    block.add(SetDimensionSize.dynamic(shape(operand), dimension), operand, size);
    for (int i = choices.below(4); i > 0; i--) {
      block.follow(choices.oneOf(choices.chance(2) ? ElementSteps.ALL : MoveSteps.ALL));
    }
    if (block.last().shape() instanceof Shape.Array last && last.isDynamic()) {
      switch (choices.below(3)) {
        case 0 -> block.add(GetDimensionSize.of(dimension), block.last());
        case 1 -> {
          Kind kind = Regions.combining(choices, last.elementType());
          ReduceSteps.reduce(block, kind, block.last(), Dims.range(0, last.rank()));
        }
        default -> {
          // the result is dynamic
        }
      }
    }
  }

  /** Appends a reshape to sizes that are known only at run time. */
  private static void reshape(Block block, Choices choices) {
    HloInstruction operand = block.any(shape -> shape.elementCount() < 2000);
    long all = shape(operand).elementCount();
    Dims sizes = all % 2 == 0 ? Dims.of(2, all / 2) : Dims.of(all);
    Shape.Array result = Shape.of(shape(operand).elementType(), sizes);
    List<HloInstruction> operands = new ArrayList<>(List.of(operand));
    for (long each : sizes.toArray()) {
      operands.add(size(block, (int) each));
    }
    block.add(
        new DynamicReshape(
            choices.chance(2) ? result.withDynamic(List.of(sizes.count() - 1)) : result),
        operands,
        List.of());
  }

  private static HloInstruction size(Block block, int size) {
    Literal literal = Literal.of(size);
    return block.isEntry() && block.choices().chance(2)
        ? block.parameter(literal)
        : block.scalar(literal);
  }
}
