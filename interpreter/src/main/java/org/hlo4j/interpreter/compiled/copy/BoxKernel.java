package org.hlo4j.interpreter.compiled.copy;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A kernel that copies one box from one operand: {@code result[i] = operand[first + sum of i[d] *
 * strides[d]]}.
 */
public final class BoxKernel implements Kernel {
  private final String opcode;
  private final Shape.Array shape;
  private final int first;
  private final BoxCopy copy;

  private BoxKernel(String opcode, Shape.Array shape, int first, int[] strides) {
    this.opcode = opcode;
    this.shape = shape;
    this.first = first * CellCopies.perElement(shape.elementType());
    this.copy =
        BoxCopy.of(shape.elementType(), Strides.ints(shape.sizes()), strides, Strides.of(shape));
  }

  /** {@code result[i] = operand[j] where i[d] = j[dimensions[d]]} */
  public static Kernel transpose(Transpose op, Shape.Array operand, Shape.Array shape) {
    int[] strides = Strides.at(Strides.of(operand), op.dimensions());
    return new BoxKernel("transpose", shape, 0, strides);
  }

  /** {@code result[j] = operand[j[dimensions[0]], j[dimensions[1]], ...]} */
  public static Kernel broadcast(Broadcast op, Shape.Array operand, Shape.Array shape) {
    int[] strides = Strides.of(operand);
    int[] broadcastStrides = new int[shape.rank()];
    for (int i = 0; i < strides.length; i++) {
      broadcastStrides[op.dimensions().getInt(i)] = strides[i];
    }
    return new BoxKernel("broadcast", shape, 0, broadcastStrides);
  }

  /** {@code result[i] = operand[start + i * strides]} */
  public static Kernel slice(SliceRanges ranges, Shape.Array operand, Shape.Array shape) {
    int[] strides = Strides.of(operand);
    int first = shape.elementCount() == 0 ? 0 : Strides.position(ranges.startIndices(), strides);
    return new BoxKernel("slice", shape, first, Strides.times(strides, ranges.strides()));
  }

  /** {@code result[i] = operand[size - 1 - i]} in the dimensions reversed */
  public static Kernel reverse(Reverse op, Shape.Array shape) {
    int[] strides = Strides.of(shape);
    int first = 0;
    for (int i = 0; i < op.dimensions().count(); i++) {
      int dimension = op.dimensions().getInt(i);
      first += (int) (shape.size(dimension) - 1) * strides[dimension];
      strides[dimension] = -strides[dimension];
    }
    return new BoxKernel("reverse", shape, first, strides);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object from = operands[0].unsafeStorage();
    Object to = context.allocate(shape);
    copy.run(from, first, to, 0, context.workers());
    return Literal.unsafeOf(shape, to);
  }

  @Override
  public String describe() {
    return opcode + " to " + shape + ": " + copy;
  }
}
