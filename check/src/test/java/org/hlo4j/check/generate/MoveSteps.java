package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.Transpose;

/** Steps that only move elements. */
final class MoveSteps {
  static final ImmutableList<Step> ALL =
      ImmutableList.of(
          MoveSteps::broadcast,
          MoveSteps::broadcast,
          MoveSteps::reshape,
          MoveSteps::transpose,
          MoveSteps::transpose,
          MoveSteps::slice,
          MoveSteps::pad,
          MoveSteps::reverse,
          MoveSteps::concatenate,
          MoveSteps::iota,
          MoveSteps::dynamicSlice,
          MoveSteps::dynamicUpdateSlice,
          MoveSteps::pass);

  private MoveSteps() {}

  private static Shape.Array shape(HloInstruction instruction) {
    return (Shape.Array) instruction.shape();
  }

  /** Appends a broadcast that adds one or two dimensions. */
  private static void broadcast(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block, shape -> shape.elementCount() < 1000);
    Dims sizes = shape(operand).sizes();
    Dims dimensions = Dims.range(0, sizes.count());
    for (int more = 1 + choices.below(2); more > 0; more--) {
      int at = choices.below(sizes.count() + 1);
      sizes = sizes.inserted(at, choices.size());
      dimensions = Dims.of(dimensions.stream().map(d -> d >= at ? d + 1 : d).toArray());
    }
    block.add(new Broadcast(Shape.of(shape(operand).elementType(), sizes), dimensions), operand);
  }

  private static void reshape(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block);
    Dims sizes = shape(operand).sizes();
    long all = sizes.product();
    int part = sizes.count() < 2 ? 0 : choices.below(sizes.count() - 1);
    Dims other =
        switch (choices.below(4)) {
          case 0 -> Dims.of(all);
          case 1 -> sizes.inserted(choices.below(sizes.count() + 1), 1);
          case 2 ->
              sizes.count() < 2
                  ? Dims.of(1, all)
                  : sizes
                      .with(part, sizes.get(part) * sizes.get(part + 1))
                      .without(Dims.of(part + 1));
          default -> all % 2 == 0 ? Dims.of(all / 2, 2) : Dims.of(1, all, 1);
        };
    block.add(new Reshape(Shape.of(shape(operand).elementType(), other)), operand);
  }

  private static void transpose(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block, shape -> shape.rank() > 1);
    block.add(new Transpose(choices.permutation(shape(operand).rank())), operand);
  }

  private static void slice(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block, shape -> shape.rank() > 0);
    Dims sizes = shape(operand).sizes();
    Dims starts = sizes;
    Dims limits = sizes;
    Dims strides = sizes;
    for (int i = 0; i < sizes.count(); i++) {
      int start = choices.below((int) sizes.get(i) + 1);
      starts = starts.with(i, choices.chance(2) ? 0 : start);
      limits = limits.with(i, Math.max(starts.get(i), sizes.get(i) - choices.below(2)));
      strides = strides.with(i, choices.chance(2) ? 1 : 1 + choices.below(3));
    }
    block.add(new Slice(new SliceRanges(starts, limits, strides)), operand);
  }

  private static void pad(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block, shape -> shape.elementCount() < 2000);
    PadConfig config = PadConfig.none(shape(operand).rank());
    for (int i = 0; i < shape(operand).rank(); i++) {
      config =
          config.withDimension(
              i, choices.below(5) - 2, choices.below(5) - 2, choices.chance(3) ? 1 : 0);
    }
    block.add(
        new Pad(config), operand, Numbers.like(block, Shape.of(shape(operand).elementType())));
  }

  private static void reverse(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block, shape -> shape.rank() > 0);
    block.add(new Reverse(Numbers.subset(choices, shape(operand).rank())), operand);
  }

  private static void concatenate(Block block, Choices choices) {
    HloInstruction first = Numbers.any(block, shape -> shape.rank() > 0);
    int dimension = choices.below(shape(first).rank());
    List<HloInstruction> parts = new ArrayList<>(List.of(first));
    for (int more = choices.below(3); more > 0; more--) {
      Dims sizes = shape(first).sizes().with(dimension, choices.chance(2) ? choices.size() : 1);
      boolean alike = choices.chance(2);
      parts.add(
          Numbers.like(block, alike ? shape(first) : Shape.of(shape(first).elementType(), sizes)));
    }
    block.add(new Concatenate(Dims.of(dimension)), parts, List.of());
  }

  private static void iota(Block block, Choices choices) {
    Shape.Array shape = Numbers.shape(choices);
    block.add(new Iota(shape, choices.below(Math.max(1, shape.rank()))));
  }

  /** Returns start indices: constants, existing values, or parameters of any value. */
  private static void starts(Block block, Choices choices, int rank, List<HloInstruction> to) {
    ElementType type = choices.oneOf(List.of(ElementType.S32, ElementType.S64, ElementType.U8));
    for (int i = 0; i < rank; i++) {
      to.add(Numbers.like(block, Shape.of(type)));
    }
  }

  private static void dynamicSlice(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block);
    Dims sizes = smaller(choices, shape(operand).sizes());
    List<HloInstruction> operands = new ArrayList<>(List.of(operand));
    starts(block, choices, sizes.count(), operands);
    block.add(new DynamicSlice(sizes), operands, List.of());
  }

  private static void dynamicUpdateSlice(Block block, Choices choices) {
    HloInstruction operand = Numbers.any(block);
    Dims sizes = smaller(choices, shape(operand).sizes());
    List<HloInstruction> operands = new ArrayList<>(List.of(operand));
    operands.add(Numbers.like(block, shape(operand).elementType(), sizes));
    starts(block, choices, sizes.count(), operands);
    block.add(new DynamicUpdateSlice(), operands, List.of());
  }

  static Dims smaller(Choices choices, Dims sizes) {
    Dims smaller = sizes;
    for (int i = 0; i < sizes.count(); i++) {
      smaller =
          smaller.with(i, choices.chance(2) ? sizes.get(i) : choices.below((int) sizes.get(i) + 1));
    }
    return smaller;
  }

  private static void pass(Block block, Choices choices) {
    block.add(choices.chance(2) ? new Copy() : new OptBarrier(), Numbers.any(block));
  }
}
