package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.WholeArrays;
import org.jspecify.annotations.Nullable;

/** Copies of boxes, which are rectangular blocks of elements, out of arrays and into them. */
final class Boxes {
  private Boxes() {}

  /** {@code result[i] = operand[i]} for the first indices in each dimension */
  static Literal truncate(Literal operand, Dims sizes) {
    return slice(operand, Dims.filled(sizes.count(), 0), sizes);
  }

  /**
   * Returns the first elements in each dimension: of the array itself, or of the one that it was
   * cut from; null if that has fewer, too.
   */
  static @Nullable Literal first(Literal operand, Dims sizes, WholeArrays wholeArrays) {
    Literal from = has(operand, sizes) ? operand : wholeArrays.of(operand);
    if (!has(from, sizes)) {
      return null;
    }
    return from.arrayShape().sizes().equals(sizes) ? from : truncate(from, sizes);
  }

  private static boolean has(Literal array, Dims sizes) {
    return sizes.clamp(sizes.minus(sizes), array.arrayShape().sizes()).equals(sizes);
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
  static Literal slice(Literal operand, Dims start, Dims sizes) {
    Slice box = Slice.of(start, start.plus(sizes), Dims.filled(sizes.count(), 1));
    return MovementOps.move(box, List.of(operand), operand.arrayShape().withSizes(sizes));
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
    return literal.elementType().componentCount();
  }

  private static Dims clampedStart(List<Literal> indices, Literal operand, Dims box) {
    Dims sizes = operand.arrayShape().sizes();
    return IndexVectors.dynamicSliceStart(indices)
        .clamp(Dims.filled(sizes.count(), 0), sizes.minus(box));
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
    Dims strides = sizes.rowMajorStrides();
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
}
