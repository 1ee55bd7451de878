package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.DynamicReshape;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.SetDimensionSize;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.WholeArrays;

/**
 * Ops that return or set the sizes of dimensions: get-dimension-size, set-dimension-size and
 * dynamic-reshape.
 */
final class DimensionSizes {
  private DimensionSizes() {}

  /** {@code result = size(operand, dimension)} */
  static Literal get(GetDimensionSize op, Literal operand) {
    long size = operand.arrayShape().size(op.dimension());
    require(
        size <= ElementType.S32.maxLong(),
        "",
        "get-dimension-size: size of dimension %s of %s, want one that s32 can hold",
        op.dimension(),
        operand.arrayShape());
    return Literal.of((int) size);
  }

  /**
   * Returns the first elements along the dimension; the second operand says how many. They are
   * those of the array that the operand was cut from.
   */
  static Literal set(SetDimensionSize op, List<Literal> in, WholeArrays wholeArrays) {
    Literal operand = in.get(0);
    Literal whole = wholeArrays.of(operand);
    Dims sizes = shape(op, in, wholeArrays).sizes();
    if (sizes.equals(operand.arrayShape().sizes())) {
      return operand;
    }
    return sizes.equals(whole.arrayShape().sizes())
        ? whole
        : wholeArrays.note(Boxes.truncate(whole, sizes), whole);
  }

  /**
   * Returns the result of a dynamic-update-slice. The array that the operand was cut from is
   * updated as well.
   */
  @SuppressWarnings("ReferenceEquality") // a value that was not cut is its own whole
  static Literal update(List<Literal> in, Execution execution) {
    Literal whole = execution.wholeArrays().of(in.get(0));
    Literal result = updated(in);
    if (whole == in.get(0)) {
      return result;
    }
    long each = Math.max(1, whole.elementType().bits() / 8);
    long bytes = whole.elementCount() * each;
    execution.reserve(bytes, () -> "dynamic-update-slice: the room of bounds");
    List<Literal> all = new ArrayList<>(in);
    all.set(0, whole);
    Literal updated = updated(all);
    execution.unreserve(bytes); // counted with the value that it is noted for
    return execution.wholeArrays().note(result, updated);
  }

  private static Literal updated(List<Literal> in) {
    return Boxes.dynamicUpdateSlice(in, LiteralBuilder.newStorage(in.get(0).arrayShape()));
  }

  /**
   * Returns the shape of the result. A size beyond that of the array which the operand was cut from
   * is rejected, since those elements are unknown.
   */
  static Shape.Array shape(SetDimensionSize op, List<Literal> in, WholeArrays wholeArrays) {
    Shape.Array operand = in.get(0).arrayShape();
    long size = in.get(1).longAt(0);
    int dimension = op.dimension();
    boolean fixed = !op.shape().isDynamic(dimension);
    long bound = op.shape().size(dimension);
    Shape.Array whole = wholeArrays.of(in.get(0)).arrayShape();
    require(
        !fixed || size == bound,
        "",
        "set-dimension-size: size of dimension %s got %s, want %s as in the static result %s",
        dimension,
        size,
        bound,
        op.shape().withoutLayout());
    require(
        size >= 0 && size <= whole.size(dimension),
        "",
        "set-dimension-size: size of dimension %s got %s, want from 0 to %s: %s has no more",
        dimension,
        size,
        whole.size(dimension),
        whole);
    return operand.withSizes(operand.sizes().with(dimension, size));
  }

  /** Returns the operand's elements with other sizes. */
  static Literal dynamicReshape(DynamicReshape op, List<Literal> in) {
    return in.get(0).withShape(shape(op, in));
  }

  /** Returns the shape of the result, with the given sizes, which must fit the declared shape. */
  static Shape.Array shape(DynamicReshape op, List<Literal> in) {
    Shape.Array operand = in.get(0).arrayShape();
    Dims sizes = op.shape().sizes();
    for (int i = 0; i < sizes.count(); i++) {
      long size = in.get(i + 1).longAt(0);
      boolean dynamic = op.shape().isDynamic(i);
      require(
          dynamic ? size >= 0 && size <= sizes.get(i) : size == sizes.get(i),
          "",
          "dynamic-reshape: size of dimension %s got %s, want %s%s as in the result %s",
          i,
          size,
          dynamic ? "from 0 to " : "",
          sizes.get(i),
          op.shape().withoutLayout());
      sizes = sizes.with(i, size);
    }
    require(
        sizes.product() == operand.elementCount(),
        "",
        "dynamic-reshape: sizes got %s, want as many elements as %s has, %s",
        sizes,
        operand,
        operand.elementCount());
    return operand.withSizes(sizes);
  }
}
