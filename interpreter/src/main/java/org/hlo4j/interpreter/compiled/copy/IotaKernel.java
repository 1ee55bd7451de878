package org.hlo4j.interpreter.compiled.copy;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

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
    int block = size * inner * (complex ? 2 : 1);
    for (int i = 0; i < size; i++) {
      fill(to, i);
    }
    for (int at = block; at < count; at += block) {
      System.arraycopy(to, 0, to, at, block);
    }
    return Literal.unsafeOf(shape, to);
  }

  /** Sets all elements of the first block that have index i. */
  private void fill(Object to, int i) {
    int from = i * inner;
    int end = from + inner;
    switch (to) {
      case float[] floats when complex -> fillReal(floats, from, end, i);
      case double[] doubles when complex -> fillReal(doubles, from, end, i);
      default -> Storages.fill(to, from, end, shape.elementType(), i);
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
