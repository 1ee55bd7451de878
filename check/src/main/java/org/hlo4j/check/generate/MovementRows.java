package org.hlo4j.check.generate;

import static org.hlo4j.check.generate.Sources.shape;

import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Slice;

/** The rows of ops that only move elements. */
final class MovementRows {
  static final ImmutableMap<String, Step> ALL =
      ImmutableMap.<String, Step>builder()
          .put("bitcast", MovementRows::bitcast)
          .put("broadcast", MovementRows::broadcast)
          .put("concatenate", MovementRows::concatenate)
          .put("dynamic-slice", MovementRows::dynamicSlice)
          .put("dynamic-update-slice", MovementRows::dynamicUpdateSlice)
          .put("gather", IndexRows::gather)
          .put("iota", MovementRows::iota)
          .put("pad", MovementRows::pad)
          .put("reshape", MovementRows::reshape)
          .put("reverse", Row.of("reverse", Sources::array))
          .put("slice", MovementRows::slice)
          .put("transpose", Row.of("transpose", Sources::array))
          .buildOrThrow();

  private MovementRows() {}

  /** Other sizes, another type of the same width, another layout. */
  private static void bitcast(Block block, Choices choices) {
    HloInstruction operand = Sources.array(block);
    ElementType from = shape(operand).elementType();
    ElementType to =
        from == ElementType.PRED || choices.chance(2)
            ? from
            : choices.type(type ->
                type.bits() == from.bits()
                    && type.isComplex() == from.isComplex()
                    && type != ElementType.PRED);
    Shape.Array shape = Shape.of(to, Moves.factors(choices, shape(operand).sizes()));
    block.add(
        new Bitcast(
            choices.chance(3)
                ? shape.withLayout(new Layout(choices.permutation(shape.rank()), ""))
                : shape),
        operand);
  }

  private static void broadcast(Block block, Choices choices) {
    HloInstruction operand = Sources.array(block, type -> true, 0, 4);
    int rank = shape(operand).rank();
    int more = choices.below(6 - rank);
    Dims added =
        choices.sizes(more, Sources.most(block) / Math.max(1, shape(operand).elementCount()));
    Dims sizes = shape(operand).sizes();
    Dims dimensions = Dims.range(0, rank);
    for (int i = 0; i < more; i++) {
      int at = choices.below(sizes.count() + 1);
      sizes = sizes.inserted(at, added.get(i));
      dimensions = Sources.shifted(dimensions, at);
    }
    block.add(new Broadcast(Shape.of(shape(operand).elementType(), sizes), dimensions), operand);
  }

  private static void concatenate(Block block, Choices choices) {
    HloInstruction first = Sources.line(block);
    int dimension = choices.below(shape(first).rank());
    List<HloInstruction> parts = new ArrayList<>(List.of(first));
    for (int more = choices.below(5); more > 0; more--) {
      Dims sizes = shape(first).sizes();
      boolean isAlike = choices.chance(3);
      parts.add(
          choices.chance(6)
              ? first
              : Sources.value(
                  block,
                  shape(first)
                      .withSizes(isAlike ? sizes : sizes.with(dimension, choices.below(6)))));
    }
    block.add(Concatenate.along(dimension), parts, List.of());
  }

  /** Appends start indices: scalars of a type, or a vector of them. */
  private static void addStarts(Block block, Dims sizes, List<HloInstruction> operands) {
    ElementType type = block.choices().type(ElementType::isIntegral);
    long most = sizes.stream().max().orElse(1);
    if (block.choices().chance(6)) {
      operands.add(Sources.indices(block, Shape.of(type, sizes.count()), most));
      return;
    }
    for (long size : sizes.toArray()) {
      operands.add(Sources.indices(block, Shape.of(type), size));
    }
  }

  /** Returns sizes of a box within others. */
  static Dims within(Choices choices, Dims sizes) {
    return Dims.of(
        sizes.stream().map(size -> choices.chance(3) ? size : choices.between(0, size)).toArray());
  }

  private static void dynamicSlice(Block block, Choices choices) {
    HloInstruction operand = Sources.array(block);
    List<HloInstruction> operands = new ArrayList<>(List.of(operand));
    addStarts(block, shape(operand).sizes(), operands);
    block.add(new DynamicSlice(within(choices, shape(operand).sizes())), operands, List.of());
  }

  private static void dynamicUpdateSlice(Block block, Choices choices) {
    HloInstruction operand = Sources.array(block);
    List<HloInstruction> operands = new ArrayList<>(List.of(operand));
    Dims sizes = within(choices, shape(operand).sizes());
    operands.add(Sources.value(block, shape(operand).withSizes(sizes)));
    addStarts(block, shape(operand).sizes(), operands);
    block.add(new DynamicUpdateSlice(), operands, List.of());
  }

  private static void iota(Block block, Choices choices) {
    int rank = Math.max(1, choices.rank());
    ElementType type = choices.type(each -> each != ElementType.PRED);
    block.add(new Iota(Sources.shape(block, type, rank), choices.below(rank)));
  }

  /** Padding of either sign, within and at the edges. */
  private static void pad(Block block, Choices choices) {
    HloInstruction operand = Sources.array(block);
    PadConfig config = PadConfig.none(shape(operand).rank());
    for (int i = 0; i < shape(operand).rank(); i++) {
      long step = choices.chance(2) ? 0 : choices.between(0, 3);
      long covered = shape(operand).size(i) + Math.max(0, shape(operand).size(i) - 1) * step;
      long low = choices.chance(2) ? 0 : choices.between(-Math.min(covered, 3), 3);
      long high = choices.chance(2) ? 0 : choices.between(-Math.min(covered + low, 3), 4);
      config = config.withDimension(i, low, Math.max(high, -(covered + low)), step);
    }
    block.add(new Pad(config), operand, Sources.scalar(block, shape(operand).elementType()));
  }

  private static void reshape(Block block, Choices choices) {
    HloInstruction operand = Sources.array(block);
    Dims sizes = shape(operand).sizes();
    Dims other =
        switch (choices.below(4)) {
          case 0 -> Dims.of(sizes.product());
          case 1 -> sizes.at(choices.permutation(sizes.count()));
          default -> Moves.factors(choices, sizes);
        };
    block.add(new Reshape(shape(operand).withSizes(other)), operand);
  }

  private static void slice(Block block, Choices choices) {
    HloInstruction operand = Sources.array(block);
    Dims starts = shape(operand).sizes();
    Dims limits = starts;
    Dims strides = starts;
    for (int i = 0; i < starts.count(); i++) {
      long size = shape(operand).size(i);
      starts = starts.with(i, choices.chance(2) ? 0 : choices.between(0, size));
      limits = limits.with(i, choices.chance(2) ? size : choices.between(starts.get(i), size));
      strides = strides.with(i, choices.chance(2) ? 1 : choices.between(1, size + 2));
    }
    block.add(Slice.of(starts, limits, strides), operand);
  }
}
