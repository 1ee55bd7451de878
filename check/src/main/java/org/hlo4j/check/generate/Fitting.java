package org.hlo4j.check.generate;

import static org.hlo4j.hlo.HloException.require;

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
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.Transpose;

/**
 * Makes an array of a wanted shape out of any other one, by all ops that move elements: what is too
 * large is sliced or gathered, what is too small padded, joined with another or broadcast.
 */
final class Fitting {
  private final Block block;
  private final Choices choices;

  Fitting(Block block) {
    this.block = block;
    this.choices = block.choices();
  }

  HloInstruction fitted(Shape.Array shape) {
    HloInstruction x = block.any(each -> each.elementCount() <= Sources.most(block));
    x = ofRank(Sources.converted(block, x, shape.elementType()), shape.sizes());
    if (choices.chance(3)) {
      x = block.add(new Transpose(choices.permutation(shape.rank())), x);
    }
    if (shape.rank() > 0 && choices.chance(4)) {
      x = withSize(x, choices.below(shape.rank()), shape.sizes());
    }
    x = padded(sliced(x, shape.sizes()), shape.sizes());
    return choices.chance(4)
        ? block.add(choices.chance(2) ? new Reverse(choices.subset(shape.rank())) : new Copy(), x)
        : x;
  }

  /** Merges dimensions, or broadcasts to more, which are as wanted. */
  private HloInstruction ofRank(HloInstruction x, Dims wanted) {
    Dims sizes = Sources.shape(x).sizes();
    int rank = wanted.count();
    if (sizes.count() < rank) {
      Dims dims = choices.permutation(rank).subList(0, sizes.count());
      dims = Dims.of(dims.stream().sorted().toArray());
      Dims result = wanted;
      for (int i = 0; i < sizes.count(); i++) {
        result = result.with(dims.getInt(i), sizes.get(i));
      }
      Shape.Array shape = small(Sources.shape(x).withSizes(result));
      return block.add(new Broadcast(shape, dims), x);
    }
    Dims merged = sizes;
    while (merged.count() > Math.max(1, rank)) {
      int at = choices.below(merged.count() - 1);
      merged = merged.with(at, merged.get(at) * merged.get(at + 1)).without(Dims.of(at + 1));
    }
    Shape.Array shape = Sources.shape(x).withSizes(merged);
    x = merged.count() == sizes.count() ? x : block.add(new Reshape(shape), x);
    return rank > 0 || merged.isEmpty() ? x : element(x, merged.get(0));
  }

  private HloInstruction element(HloInstruction line, long size) {
    require(size > 0, "", "no element");
    HloInstruction one = sliced(line, Dims.of(1));
    return block.add(new Reshape(Shape.of(Sources.type(line))), one);
  }

  private Shape.Array small(Shape.Array shape) {
    require(shape.elementCount() <= Sources.most(block), "", "too large");
    return shape;
  }

  /** Gives a dimension its size by indices, or by another array behind it. */
  private HloInstruction withSize(HloInstruction x, int dimension, Dims wanted) {
    Shape.Array shape = Sources.shape(x);
    long size = shape.size(dimension);
    long want = wanted.get(dimension);
    if (size < want && choices.chance(2)) {
      Dims rest = shape.sizes().with(dimension, want - size);
      HloInstruction other = Sources.value(block, small(shape.withSizes(rest)), 0);
      return block.add(Concatenate.along(dimension), x, other);
    }
    require(size > 0, "", "nothing to take");
    Shape.Array indices = Shape.of(choices.type(ElementType::isIntegral), want);
    small(shape.withSizes(shape.sizes().with(dimension, want)));
    return block.add(
        Gather.alongDimension(shape, indices, dimension), x, Sources.indices(block, indices, size));
  }

  /** Takes a part of what is too large, at constant or computed places. */
  private HloInstruction sliced(HloInstruction x, Dims wanted) {
    Dims sizes = Sources.shape(x).sizes();
    Dims result = sizes;
    Dims starts = sizes;
    Dims strides = Dims.filled(sizes.count(), 1);
    for (int i = 0; i < sizes.count(); i++) {
      long want = Math.min(wanted.get(i), sizes.get(i));
      long widest = want < 2 ? 1 : (sizes.get(i) - 1) / (want - 1);
      strides = strides.with(i, choices.chance(2) ? 1 : choices.between(1, Math.max(1, widest)));
      long covered = want == 0 ? 0 : (want - 1) * strides.get(i) + 1;
      starts = starts.with(i, choices.between(0, sizes.get(i) - covered));
      result = result.with(i, want);
    }
    if (result.equals(sizes)) {
      return x;
    } else if (strides.product() == 1 && choices.chance(2)) {
      List<HloInstruction> operands = new ArrayList<>(List.of(x));
      ElementType type = choices.type(ElementType::isIntegral);
      sizes.stream().forEach(size -> operands.add(Sources.indices(block, Shape.of(type), size)));
      return block.add(new DynamicSlice(result), operands, List.of());
    }
    Dims last = result.minus(Dims.filled(sizes.count(), 1)).times(strides);
    Dims limits = starts.plus(last).plus(Dims.filled(sizes.count(), 1));
    return block.add(Slice.of(starts, limits.clamp(starts, sizes), strides), x);
  }

  /** Fills what is too small, at the edges or between the elements. */
  private HloInstruction padded(HloInstruction x, Dims wanted) {
    Dims sizes = Sources.shape(x).sizes();
    PadConfig config = PadConfig.none(sizes.count());
    for (int i = 0; i < sizes.count(); i++) {
      long gaps = Math.max(1, sizes.get(i) - 1);
      long missing = wanted.get(i) - sizes.get(i);
      long step = sizes.get(i) < 2 || choices.chance(2) ? 0 : missing / gaps;
      long low = choices.between(0, missing - step * gaps);
      config = config.withDimension(i, low, missing - step * gaps - low, step);
    }
    return sizes.equals(wanted)
        ? x
        : block.add(new Pad(config), x, Sources.value(block, Shape.of(Sources.type(x)), 0));
  }

  /** Returns other sizes of the same product: merged, split and with ones. */
  static Dims factors(Choices choices, Dims sizes) {
    Dims result = sizes;
    for (int i = 1 + choices.below(3); i > 0; i--) {
      int rank = result.count();
      int at = rank == 0 ? 0 : choices.below(rank);
      int way = choices.below(3);
      if (way == 0 && rank < 5) {
        result = result.inserted(choices.below(rank + 1), 1);
      } else if (way == 1 && rank > 0 && rank < 5 && result.get(at) % 2 == 0) {
        result = result.with(at, result.get(at) / 2).inserted(at, 2);
      } else if (way == 2 && at + 1 < rank) {
        result = result.with(at, result.get(at) * result.get(at + 1)).without(Dims.of(at + 1));
      }
    }
    return result;
  }
}
