package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.interpreter.engine.Limits;

/**
 * Ops that copy boxes, which are rectangular blocks of elements, from or to positions at a constant
 * stride: slice, dynamic-slice, dynamic-update-slice, pad, concatenate and reverse.
 */
final class Boxes {
  private Boxes() {}

  /** {@code result[i] = operand[start + i * strides]} */
  static Literal slice(Slice op, Literal operand, Shape.Array shape) {
    return stridedSlice(operand, op.slice().startIndices(), op.slice().strides(), shape);
  }

  /** {@code result[i] = operand[i]} for the first indices in each dimension */
  static Literal truncate(Literal operand, Dims sizes) {
    Dims zeros = Dims.filled(sizes.count(), 0);
    Dims ones = Dims.filled(sizes.count(), 1);
    return stridedSlice(operand, zeros, ones, operand.arrayShape().withSizes(sizes));
  }

  /** {@code result[i] = operand[start + i]}, start clamped so that the box fits */
  static Literal dynamicSlice(List<Literal> in, Shape.Array shape) {
    Dims start = clampedStart(in.subList(1, in.size()), in.get(0), shape.sizes());
    return stridedSlice(in.get(0), start, Dims.filled(shape.rank(), 1), shape);
  }

  /**
   * {@code result[start + i] = update[i]}, start clamped so that the box fits; the result is stored
   * in a given array, which may be the operand's
   */
  static Literal dynamicUpdateSlice(List<Literal> in, Object storage) {
    Literal operand = in.get(0);
    Literal result = copy(operand, storage);
    Dims start = clampedStart(in.subList(2, in.size()), operand, in.get(1).arrayShape().sizes());
    overwrite(result, in.get(1), start);
    return result;
  }

  /** Returns a copy that may be written to. */
  static Literal copy(Literal operand) {
    return copy(operand, LiteralBuilder.newStorage(operand.arrayShape()));
  }

  private static Literal copy(Literal operand, Object storage) {
    if (storage != operand.unsafeStorage()) {
      int count = operand.elementCount() * components(operand);
      System.arraycopy(operand.unsafeStorage(), 0, storage, 0, count);
    }
    return Literal.unsafeOf(operand.arrayShape(), storage);
  }

  /** {@code result[i] = operand[start + i]} */
  static Literal stridedSlice(Literal operand, Dims start, Dims sizes) {
    Dims ones = Dims.filled(sizes.count(), 1);
    return stridedSlice(operand, start, ones, operand.arrayShape().withSizes(sizes));
  }

  /** {@code result[start + i] = update[i]}, a row at a time */
  static void overwrite(Literal result, Literal update, Dims start) {
    Dims box = update.arrayShape().sizes();
    int last = box.count() - 1;
    Dims rows = last < 0 ? box : box.with(last, Math.min(1, box.get(last)));
    int row = last < 0 ? 1 : box.getInt(last);
    int components = components(update);
    int[] to = positions(start, Dims.filled(box.count(), 1), rows, result.arrayShape().sizes());
    for (int i = 0; i < to.length; i++) {
      Limits.checkAt(i);
      System.arraycopy(
          update.unsafeStorage(),
          i * row * components,
          result.unsafeStorage(),
          to[i] * components,
          row * components);
    }
  }

  private static int components(Literal literal) {
    return literal.elementType().isComplex() ? 2 : 1;
  }

  private static Dims clampedStart(List<Literal> indices, Literal operand, Dims box) {
    Dims sizes = operand.arrayShape().sizes();
    return IndexVectors.dynamicSliceStart(indices)
        .clamp(Dims.filled(sizes.count(), 0), sizes.minus(box));
  }

  /** {@code result[low + i * (interior + 1)] = operand[i]} where that position is in the result */
  static Literal pad(PadConfig padding, Literal operand, Literal value, Shape.Array shape) {
    LiteralBuilder result = filled(shape, value);
    Dims sizes = operand.arrayShape().sizes();
    Dims ones = Dims.filled(sizes.count(), 1);
    Dims steps = padding.interiorPadding().plus(ones);
    Dims first = firstKept(padding.edgePaddingLow(), steps, sizes);
    Dims start = padding.edgePaddingLow().plus(first.times(steps));
    Dims kept = kept(start, steps, shape.sizes()).clamp(sizes.minus(sizes), sizes.minus(first));
    int[] from = positions(first, ones, kept, sizes);
    int[] to = positions(start, steps, kept, shape.sizes());
    for (int i = 0; i < to.length; i++) {
      Limits.checkAt(i);
      result.copy(to[i], operand, from[i]);
    }
    return result.build();
  }

  /** Returns the first index in each dimension that is not cut off; the size if all are. */
  private static Dims firstKept(Dims low, Dims steps, Dims sizes) {
    Dims first = low;
    for (int i = 0; i < low.count(); i++) {
      long before = Math.floorDiv(low.get(i), steps.get(i));
      first = first.with(i, before >= 0 ? 0 : -Math.max(before, -sizes.get(i)));
    }
    return first;
  }

  /** Returns the number of positions in each dimension from a start on, at a given stride. */
  private static Dims kept(Dims start, Dims steps, Dims sizes) {
    Dims kept = start;
    for (int i = 0; i < start.count(); i++) {
      long room = sizes.get(i) - start.get(i);
      kept = kept.with(i, room <= 0 ? 0 : Math.ceilDiv(room, steps.get(i)));
    }
    return kept;
  }

  /** {@code result[..., before + i, ...] = operand[..., i, ...]}, operand after operand */
  static Literal concatenate(Concatenate op, List<Literal> in, Shape.Array shape) {
    LiteralBuilder result = new LiteralBuilder(shape);
    Dims start = Dims.filled(shape.rank(), 0);
    for (Literal operand : in) {
      put(result, operand, start, shape.sizes());
      long size = operand.arrayShape().size(op.dimension());
      start = start.with(op.dimension(), start.get(op.dimension()) + size);
    }
    return result.build();
  }

  /** {@code result[i] = operand[size - 1 - i]} in the dimensions reversed */
  static Literal reverse(Reverse op, Literal operand) {
    Shape.Array shape = operand.arrayShape();
    Dims start = Dims.filled(shape.rank(), 0);
    Dims steps = Dims.filled(shape.rank(), 1);
    for (long dimension : op.dimensions().toArray()) {
      start = start.with((int) dimension, shape.size((int) dimension) - 1);
      steps = steps.with((int) dimension, -1);
    }
    return stridedSlice(operand, start, steps, shape);
  }

  /** {@code result[i] = operand[start + i * steps]} */
  static Literal stridedSlice(Literal operand, Dims start, Dims steps, Shape.Array shape) {
    LiteralBuilder result = new LiteralBuilder(shape);
    int[] from = positions(start, steps, shape.sizes(), operand.arrayShape().sizes());
    for (int i = 0; i < from.length; i++) {
      Limits.checkAt(i);
      result.copy(i, operand, from[i]);
    }
    return result.build();
  }

  /** {@code result[start + i] = operand[i]}, with a result of the given sizes */
  static void put(LiteralBuilder result, Literal operand, Dims start, Dims sizes) {
    Dims box = operand.arrayShape().sizes();
    int[] to = positions(start, Dims.filled(box.count(), 1), box, sizes);
    for (int i = 0; i < to.length; i++) {
      Limits.checkAt(i);
      result.copy(to[i], operand, i);
    }
  }

  /**
   * Returns the positions of {@code start + i * steps} for all i in the box, in row-major order.
   */
  private static int[] positions(Dims start, Dims steps, Dims box, Dims sizes) {
    Dims strides = Offsets.strides(sizes);
    int[] positions = Offsets.ofAllIndices(box, strides.times(steps));
    int base = Offsets.ofIndex(start, strides);
    for (int i = 0; i < positions.length; i++) {
      positions[i] += base;
    }
    return positions;
  }

  static LiteralBuilder toBuilder(Literal literal) {
    LiteralBuilder copy = new LiteralBuilder(literal.arrayShape());
    for (int i = 0; i < literal.elementCount(); i++) {
      Limits.checkAt(i);
      copy.copy(i, literal, i);
    }
    return copy;
  }

  private static LiteralBuilder filled(Shape.Array shape, Literal value) {
    LiteralBuilder result = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      Limits.checkAt(i);
      result.copy(i, value, 0);
    }
    return result;
  }
}
