package org.hlo4j.interpreter.compiled.copy;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Limits;

/** A kernel of an iota: {@code result[..., i, ...] = i}. */
public final class IotaKernel implements Kernel {

  private final Shape.Array shape;
  private final int size;
  private final int inner;
  private final int count;
  private final boolean complex;

  public IotaKernel(Iota op, Shape.Array shape) {
    int dimension = op.iotaDimension();
    this.shape = shape;
    this.complex = shape.elementType().isComplex();
    this.count = (int) shape.elementCount() * CellCopies.perElement(shape.elementType());
    this.size = count == 0 ? 0 : shape.sizes().getInt(dimension);
    this.inner = count == 0 ? 0 : Strides.of(shape)[dimension];
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object to = context.allocate(shape);
    int block = size * inner;
    context
        .workers()
        .run(
            Math.ceilDiv(block, Machine.COPY_GRAIN),
            chunk ->
                fill(
                    to,
                    chunk * Machine.COPY_GRAIN,
                    (int) Math.min(block, (chunk + 1L) * Machine.COPY_GRAIN)));
    repeat(to, block * (complex ? 2 : 1), context);
    return Literal.unsafeOf(shape, to);
  }

  /**
   * Repeats the first block of cells: first into a unit of many blocks, then the unit into the
   * whole result.
   */
  private void repeat(Object to, int block, KernelContext context) {
    int unit = block;
    for (; unit > 0 && unit < Machine.COPY_GRAIN && unit < count; unit *= 2) {
      System.arraycopy(to, 0, to, unit, Math.min(unit, count - unit));
    }
    if (unit > 0 && unit < count) {
      int each = unit;
      context
          .workers()
          .run(
              Math.ceilDiv(count, each) - 1,
              number -> {
                int at = (number + 1) * each;
                copy(to, at, Math.min(each, count - at));
              });
    }
  }

  private static void copy(Object to, int at, int cells) {
    Limits.inPieces(0, cells, (from, end) -> System.arraycopy(to, from, to, at + from, end - from));
  }

  /** Sets some elements of the first block. */
  private void fill(Object to, int first, int end) {
    int index = first / inner;
    for (int at = first; at < end; index++) {
      int stop = (int) Math.min(end, (index + 1L) * inner);
      fill(to, at, stop, index);
      at = stop;
    }
  }

  private void fill(Object to, int from, int end, int index) {
    switch (to) {
      case float[] floats when complex -> fillReal(floats, from, end, index);
      case double[] doubles when complex -> fillReal(doubles, from, end, index);
      default -> Storages.fill(to, from, end, shape.elementType(), index);
    }
  }

  private static void fillReal(float[] to, int from, int end, int i) {
    for (int at = from; at < end; at++) {
      to[2 * at] = i;
      to[2 * at + 1] = 0;
    }
  }

  private static void fillReal(double[] to, int from, int end, int i) {
    for (int at = from; at < end; at++) {
      to[2 * at] = i;
      to[2 * at + 1] = 0;
    }
  }

  @Override
  public String describe() {
    return "iota of " + shape;
  }
}
