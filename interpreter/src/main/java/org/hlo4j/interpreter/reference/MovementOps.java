package org.hlo4j.interpreter.reference;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.interpreter.engine.Limits;

/** Ops that place elements regardless of their values: iota, broadcast and transpose. */
final class MovementOps {
  private MovementOps() {}

  /** {@code result[i] = operand[from[i]]}, both in row-major positions. */
  private static Literal copyFromPositions(Literal operand, Shape.Array shape, int[] from) {
    LiteralBuilder result = new LiteralBuilder(shape);
    for (int i = 0; i < from.length; i++) {
      Limits.checkAt(i);
      result.copy(i, operand, from[i]);
    }
    return result.build();
  }

  /** {@code result[..., i, ...] = i} */
  static Literal iota(Iota op) {
    Shape.Array shape = op.shape();
    ElementType type = shape.elementType();
    LiteralBuilder result = new LiteralBuilder(shape);
    Dims counting = Dims.filled(shape.rank(), 0).with(op.iotaDimension(), 1);
    int[] numbers = Offsets.ofAllIndices(shape.sizes(), counting);
    for (int i = 0; i < numbers.length; i++) {
      Limits.checkAt(i);
      switch (type.kind()) {
        case PRED, SIGNED, UNSIGNED -> result.setLong(i, numbers[i]);
        case FLOAT -> result.setDouble(i, numbers[i]);
        case COMPLEX -> result.setComplex(i, numbers[i], 0);
      }
    }
    return result.build();
  }

  /** {@code result[j] = operand[j[dimensions[0]], j[dimensions[1]], ...]} */
  static Literal broadcast(Broadcast op, Literal operand) {
    Dims strides = Offsets.strides(operand.arrayShape().sizes());
    Dims broadcastStrides = Dims.filled(op.shape().rank(), 0);
    for (int i = 0; i < strides.count(); i++) {
      broadcastStrides = broadcastStrides.with(op.dimensions().getInt(i), strides.get(i));
    }
    return copyFromPositions(
        operand, op.shape(), Offsets.ofAllIndices(op.shape().sizes(), broadcastStrides));
  }

  /** {@code result[i] = operand[j] where i[d] = j[dimensions[d]]} */
  static Literal transpose(Transpose op, Literal operand, Shape.Array shape) {
    Dims strides = Offsets.strides(operand.arrayShape().sizes()).at(op.dimensions());
    return copyFromPositions(operand, shape, Offsets.ofAllIndices(shape.sizes(), strides));
  }
}
