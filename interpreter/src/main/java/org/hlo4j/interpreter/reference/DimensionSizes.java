package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.GetDimensionSize;
import org.hlo4j.hlo.op.SetDimensionSize;

/**
 * Ops that ask for sizes or set them. Literals have static sizes; a run refuses dynamic shapes
 * before they come here.
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

  /** The operand, its size being what it is. */
  static Literal set(SetDimensionSize op, Literal operand, Literal size) {
    requireSize("set-dimension-size", op.dimension(), size, operand.arrayShape());
    return operand;
  }

  /** The operand's elements under the sizes that the shape of the result has anyway. */
  static Literal dynamicReshape(List<Literal> in, Shape.Array shape) {
    for (int i = 0; i < shape.rank(); i++) {
      requireSize("dynamic-reshape", i, in.get(i + 1), shape);
    }
    return in.get(0).withShape(shape);
  }

  private static void requireSize(String opcode, int dimension, Literal size, Shape.Array shape) {
    require(
        size.longAt(0) == shape.size(dimension),
        "",
        "%s: size of dimension %s got %s, want %s as in the static result %s",
        opcode,
        dimension,
        size.longAt(0),
        shape.size(dimension),
        shape);
  }
}
