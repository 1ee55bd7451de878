package org.hlo4j.interpreter.compiled.copy;

import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A kernel of a dynamic-slice or dynamic-update-slice. The start of the box is an operand, clamped
 * so that the box fits.
 */
public final class DynamicBox implements Kernel {
  private final boolean isUpdate;
  private final Shape.Array shape;
  private final int[] strides;
  private final int[] maxStarts;
  private final int cells;
  private final List<Shape.Array> starts;
  private final BoxCopy box;
  private final BoxCopy whole;

  private DynamicBox(
      boolean update, Shape.Array operand, Shape.Array box, List<Shape.Array> starts) {
    this.isUpdate = update;
    this.shape = update ? operand : box;
    this.strides = Strides.of(operand);
    this.cells = CellCopies.perElement(operand.elementType());
    this.starts = starts;
    this.maxStarts = new int[operand.rank()];
    for (int d = 0; d < maxStarts.length; d++) {
      maxStarts[d] = (int) (operand.size(d) - box.size(d));
    }
    int[] sizes = Strides.ints(box.sizes());
    int[] boxStrides = Strides.of(box);
    this.box =
        BoxCopy.of(
            operand.elementType(),
            sizes,
            update ? boxStrides : strides,
            update ? strides : boxStrides);
    this.whole = BoxCopy.whole(operand);
  }

  /** {@code result[i] = operand[start + i]} */
  public static Kernel slice(Shape.Array operand, Shape.Array shape, List<Shape.Array> starts) {
    return new DynamicBox(false, operand, shape, starts);
  }

  /** {@code result[start + i] = update[i]} */
  public static Kernel update(Shape.Array operand, Shape.Array update, List<Shape.Array> starts) {
    return new DynamicBox(true, operand, update, starts);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object operand = operands[0].unsafeStorage();
    int at = start(operands, isUpdate ? 2 : 1);
    Object to = context.allocate(shape);
    if (!isUpdate) {
      box.run(operand, at, to, 0, context.workers());
    } else {
      if (to != operand) {
        whole.run(operand, 0, to, 0, context.workers());
      }
      box.run(operands[1].unsafeStorage(), 0, to, at, context.workers());
    }
    return Literal.unsafeOf(shape, to);
  }

  /** Returns the first cell of the box. The start indices are scalars, or one vector. */
  private int start(Literal[] operands, int first) {
    int start = 0;
    for (int d = 0; d < maxStarts.length; d++) {
      boolean vector = starts.size() == 1;
      Object storage = operands[vector ? first : first + d].unsafeStorage();
      long number =
          Storages.index(starts.get(vector ? 0 : d).elementType(), storage, vector ? d : 0);
      start += Math.clamp(number, 0, maxStarts[d]) * strides[d];
    }
    return start * cells;
  }

  @Override
  public boolean canReuseOperandBuffer(int operand) {
    return isUpdate && operand == 0;
  }

  @Override
  public String describe() {
    return (isUpdate ? "dynamic-update-slice of " : "dynamic-slice to ") + shape + ": " + box;
  }
}
