package org.hlo4j.check.generate;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Transpose;

/** Arrays of a wanted shape that are made of others by moving elements. */
final class Moves {
  private Moves() {}

  /** Returns an array of a shape, moved from another one. */
  static HloInstruction to(Block block, Shape.Array shape, int depth) {
    return switch (block.choices().below(10)) {
      case 0 -> transposed(block, shape, depth);
      case 1 -> {
        Dims dimensions = block.choices().subset(shape.rank());
        yield block.add(new Reverse(dimensions), Sources.value(block, shape, depth));
      }
      case 2 -> sliced(block, shape, depth);
      case 3 -> padded(block, shape, depth);
      case 4, 5 -> spread(block, shape, depth);
      case 6 -> joined(block, shape, depth);
      case 7 -> reshaped(block, shape, depth);
      case 8 -> taken(block, shape, depth);
      default -> block.add(new Copy(), Sources.value(block, shape, depth));
    };
  }

  private static HloInstruction transposed(Block block, Shape.Array shape, int depth) {
    Dims order = block.choices().permutation(shape.rank());
    Shape.Array from = shape.withSizes(shape.sizes().at(order.inverse()));
    return block.add(new Transpose(order), Sources.value(block, from, depth));
  }

  /** A part of a larger array, at constant or computed places. */
  private static HloInstruction sliced(Block block, Shape.Array shape, int depth) {
    Choices choices = block.choices();
    boolean isDynamic = choices.chance(3);
    Dims starts = shape.sizes();
    Dims strides = starts;
    Dims limits = starts;
    Dims sizes = starts;
    for (int i = 0; i < starts.count(); i++) {
      strides = strides.with(i, isDynamic || choices.chance(2) ? 1 : choices.between(1, 3));
      starts = starts.with(i, choices.chance(2) ? 0 : choices.between(0, 3));
      long covered = (Math.max(1, shape.size(i)) - 1) * strides.get(i) + 1;
      limits = limits.with(i, shape.size(i) == 0 ? starts.get(i) : starts.get(i) + covered);
      sizes = sizes.with(i, limits.get(i) + choices.below(3));
    }
    HloInstruction from = Sources.value(block, small(block, shape.withSizes(sizes)), depth);
    if (!isDynamic) {
      return block.add(Slice.of(starts, limits, strides), from);
    }
    List<HloInstruction> operands = new ArrayList<>(List.of(from));
    ElementType type = choices.type(ElementType::isIntegral);
    for (int i = 0; i < sizes.count(); i++) {
      operands.add(Sources.indices(block, Shape.of(type), sizes.get(i)));
    }
    return block.add(new DynamicSlice(shape.sizes()), operands, List.of());
  }

  private static Shape.Array small(Block block, Shape.Array shape) {
    HloException.require(shape.elementCount() <= Sources.most(block), "", "too large");
    return shape;
  }

  /** A smaller array within padding, or a larger one of which edges are cut off. */
  private static HloInstruction padded(Block block, Shape.Array shape, int depth) {
    Choices choices = block.choices();
    PadConfig config = PadConfig.none(shape.rank());
    Dims sizes = shape.sizes();
    for (int i = 0; i < shape.rank(); i++) {
      long step = choices.chance(3) ? choices.between(1, 2) : 0;
      long size = choices.between(0, shape.size(i) / (step + 1) + 1);
      long covered = size + Math.max(size - 1, 0) * step;
      long low = choices.between(-1, Math.max(0, shape.size(i) - covered));
      config = config.withDimension(i, low, shape.size(i) - covered - low, step);
      sizes = sizes.with(i, size);
    }
    HloInstruction operand = Sources.value(block, small(block, shape.withSizes(sizes)), depth);
    return block.add(new Pad(config), operand, Sources.scalar(block, shape.elementType()));
  }

  private static HloInstruction spread(Block block, Shape.Array shape, int depth) {
    Dims dimensions = block.choices().subset(shape.rank());
    return block.add(
        new Broadcast(shape, dimensions), Sources.value(block, shape.select(dimensions), depth));
  }

  private static HloInstruction joined(Block block, Shape.Array shape, int depth) {
    HloException.require(shape.rank() > 0, "", "no dimension");
    Choices choices = block.choices();
    int dimension = choices.below(shape.rank());
    long left = shape.size(dimension);
    List<HloInstruction> parts = new ArrayList<>();
    do {
      long next = choices.chance(3) ? left : choices.between(0, left);
      parts.add(Sources.value(block, shape.withSizes(shape.sizes().with(dimension, next)), depth));
      left -= next;
    } while (left > 0);
    return block.add(Concatenate.along(dimension), parts, List.of());
  }

  private static HloInstruction reshaped(Block block, Shape.Array shape, int depth) {
    Dims from = factors(block.choices(), shape.sizes());
    return block.add(new Reshape(shape), Sources.value(block, shape.withSizes(from), depth));
  }

  /** Returns other sizes of the same product: merged, split and with ones. */
  static Dims factors(Choices choices, Dims sizes) {
    Dims result = sizes;
    for (int i = 1 + choices.below(3); i > 0; i--) {
      int rank = result.count();
      int at = rank == 0 ? 0 : choices.below(rank);
      boolean divides = rank > 0 && rank < 5 && result.get(at) % 2 == 0;
      result =
          switch (choices.below(3)) {
            case 0 -> rank < 5 ? result.inserted(choices.below(rank + 1), 1) : result;
            case 1 -> divides ? result.with(at, result.get(at) / 2).inserted(at, 2) : result;
            default ->
                at + 1 < rank
                    ? result.with(at, result.get(at) * result.get(at + 1)).without(Dims.of(at + 1))
                    : result;
          };
    }
    return result;
  }

  /** Rows of another array, by indices. */
  private static HloInstruction taken(Block block, Shape.Array shape, int depth) {
    HloException.require(shape.rank() > 0, "", "no dimension");
    Choices choices = block.choices();
    int dimension = choices.below(shape.rank());
    Shape.Array from =
        small(block, shape.withSizes(shape.sizes().with(dimension, choices.between(1, 5))));
    ElementType type = choices.type(ElementType::isIntegral);
    Shape.Array indices = Shape.of(type, shape.size(dimension));
    Gather gather = Gather.alongDimension(from, indices, dimension);
    return block.add(
        gather,
        Sources.value(block, from, depth),
        Sources.indices(block, indices, from.size(dimension)));
  }
}
