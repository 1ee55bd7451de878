package org.hlo4j.interpreter.compiled.copy;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A kernel of a dynamic-update-slice: {@code result[start + i] = update[i]}, and the operand
 * elsewhere. The start is an operand, clamped so that the update fits.
 */
public final class DynamicUpdateKernel implements Kernel {
  private final Shape.Array shape;
  private final Dims strides;
  private final int[] maxStarts;
  private final List<Shape.Array> starts;
  private final BoxCopy update;
  private final BoxCopy whole;

  public DynamicUpdateKernel(Shape.Array shape, Shape.Array update, List<Shape.Array> starts) {
    this.shape = shape;
    this.strides = shape.sizes().rowMajorStrides();
    this.starts = starts;
    this.maxStarts = new int[shape.rank()];
    for (int d = 0; d < maxStarts.length; d++) {
      maxStarts[d] = (int) (shape.size(d) - update.size(d));
    }
    this.update =
        BoxCopy.of(shape.elementType(), update.sizes(), update.sizes().rowMajorStrides(), strides);
    this.whole = BoxCopy.whole(shape);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object operand = operands[0].unsafeStorage();
    int at = start(operands);
    Object to = context.allocate(shape);
    if (to != operand) {
      whole.run(operand, 0, to, 0, context.workers());
    }
    update.run(operands[1].unsafeStorage(), 0, to, at, context.workers());
    return Literal.unsafeOf(shape, to);
  }

  /** Returns the first cell of the update. The start indices are scalars, or one vector. */
  private int start(Literal[] operands) {
    int start = 0;
    boolean isVector = starts.size() == 1;
    for (int d = 0; d < maxStarts.length; d++) {
      Object storage = operands[isVector ? 2 : 2 + d].unsafeStorage();
      long number =
          Storages.index(starts.get(isVector ? 0 : d).elementType(), storage, isVector ? d : 0);
      start += Math.clamp(number, 0, maxStarts[d]) * (int) strides.get(d);
    }
    return start * CellCopies.perElement(shape.elementType());
  }

  @Override
  public boolean canReuseOperandBuffer(int operand) {
    return operand == 0;
  }

  @Override
  public String describe() {
    return "dynamic-update-slice of " + shape + ": " + update;
  }
}
