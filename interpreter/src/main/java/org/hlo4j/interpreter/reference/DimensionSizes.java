package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.DynamicReshape;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.SetDimensionSize;

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

  /** Returns the first elements along the dimension; the second operand says how many. */
  static Literal set(SetDimensionSize op, List<Literal> in) {
    Literal operand = in.get(0);
    Dims sizes = shape(op, in).sizes();
    return sizes.equals(operand.arrayShape().sizes()) ? operand : Boxes.truncate(operand, sizes);
  }

  /**
   * Returns the shape of the result. A size beyond the operand's is rejected, since those elements
   * are unknown.
   */
  static Shape.Array shape(SetDimensionSize op, List<Literal> in) {
    Shape.Array operand = in.get(0).arrayShape();
    long size = in.get(1).longAt(0);
    int dimension = op.dimension();
    boolean fixed = !op.shape().isDynamic(dimension);
    long bound = op.shape().size(dimension);
    require(
        !fixed || size == bound,
        "",
        "set-dimension-size: size of dimension %s got %s, want %s as in the static result %s",
        dimension,
        size,
        bound,
        op.shape().withoutLayout());
    require(
        size >= 0 && size <= operand.size(dimension),
        "",
        "set-dimension-size: size of dimension %s got %s, want from 0 to %s: %s has no more",
        dimension,
        size,
        operand.size(dimension),
        operand);
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
