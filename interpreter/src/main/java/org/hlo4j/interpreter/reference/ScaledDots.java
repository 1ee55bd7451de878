package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;

/**
 * The scaled-dot op: a dot of operands that are multiplied by their scales first, all in double.
 */
final class ScaledDots {
  private ScaledDots() {}

  /** {@code dot(lhs * lhs_scale, rhs * rhs_scale)} */
  static Literal dot(ScaledDot op, List<Literal> in, Shape.Array shape, Execution execution) {
    Literal lhs = scaled(in.get(0), in.get(2));
    Literal rhs = scaled(in.get(1), in.get(3));
    return MixedProducts.of(
        List.of(lhs, rhs), shape, (two, type) -> Dots.dot(op.dot(), two, type, execution));
  }

  /**
   * {@code result[i] = operand[i] * scale[i / block]}, where block is the number of elements that
   * share a scale
   */
  private static Literal scaled(Literal operand, Literal scale) {
    Shape.Array shape = operand.arrayShape();
    Dims sizes = shape.sizes();
    Dims strides = scale.arrayShape().sizes().rowMajorStrides();
    int[] from = new int[(int) sizes.product()];
    for (int dimension = 0; dimension < strides.count() && from.length > 0; dimension++) {
      long block = sizes.get(dimension) / scale.arrayShape().size(dimension);
      int[] index = Offsets.ofAllIndices(sizes, Dims.filled(sizes.count(), 0).with(dimension, 1));
      for (int i = 0; i < from.length; i++) {
        Limits.checkAt(i);
        from[i] += (int) (index[i] / block * strides.get(dimension));
      }
    }
    LiteralBuilder result = new LiteralBuilder(shape.withElementType(ElementType.F64));
    for (int i = 0; i < from.length; i++) {
      Limits.checkAt(i);
      result.setDouble(i, operand.doubleAt(i) * scale.doubleAt(from[i]));
    }
    return result.build();
  }
}
