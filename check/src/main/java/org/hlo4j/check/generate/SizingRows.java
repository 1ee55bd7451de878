package org.hlo4j.check.generate;

import static org.hlo4j.check.generate.Sources.shape;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.DynamicReshape;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.SetDimensionSize;

/** The rows of ops that ask for sizes and set them. */
final class SizingRows {
  static final ImmutableMap<String, Step> ALL =
      ImmutableMap.<String, Step>builder()
          .put("dynamic-reshape", SizingRows::dynamicReshape)
          .put("get-dimension-size", SizingRows::getDimensionSize)
          .put("set-dimension-size", SizingRows::setDimensionSize)
          .buildOrThrow();

  private SizingRows() {}

  private static HloInstruction number(Block block, long size) {
    return Sources.given(block, block.choices().whole(Shape.of(ElementType.S32), size, size));
  }

  private static void getDimensionSize(Block block, Choices choices) {
    List<HloInstruction> lines =
        Sources.values(block, shape -> shape instanceof Shape.Array array && array.rank() > 0);
    HloInstruction operand =
        lines.isEmpty() || choices.chance(3) ? Sources.line(block) : choices.oneOf(lines);
    block.add(GetDimensionSize.of(choices.below(shape(operand).rank())), operand);
  }

  /** To a size that is known only at run time, and back to a static one, or the whole. */
  private static void setDimensionSize(Block block, Choices choices) {
    HloInstruction operand = Sources.line(block);
    int dimension = choices.below(shape(operand).rank());
    long whole = shape(operand).size(dimension);
    if (!block.draft().isDynamic() || choices.chance(4)) {
      HloInstruction size = number(block, whole);
      block.add(SetDimensionSize.fixed(shape(operand), dimension), operand, size);
      return;
    }
    HloInstruction size = number(block, choices.between(0, whole));
    block.add(SetDimensionSize.dynamic(shape(operand), dimension), operand, size);
  }

  private static void dynamicReshape(Block block, Choices choices) {
    HloInstruction operand = Sources.array(block);
    Dims sizes = Moves.factors(choices, shape(operand).sizes());
    List<HloInstruction> operands = new ArrayList<>(List.of(operand));
    for (long size : sizes.toArray()) {
      operands.add(number(block, size));
    }
    Shape.Array result = shape(operand).withSizes(sizes);
    boolean isDynamic = block.draft().isDynamic() && sizes.count() > 0;
    block.add(
        new DynamicReshape(
            isDynamic ? result.withDynamic(List.of(choices.below(sizes.count()))) : result),
        operands,
        List.of());
  }
}
