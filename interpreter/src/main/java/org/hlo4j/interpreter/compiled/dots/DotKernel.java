package org.hlo4j.interpreter.compiled.dots;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.kernel.KernelContext;
import org.jspecify.annotations.Nullable;

/** A dot: its operands widened to the carrier if need be, multiplied, the result narrowed. */
final class DotKernel implements ProductKernel {
  private final Carrier carrier;
  private final Shape.Array shape;
  private final Multiplication multiplication;

  DotKernel(Carrier carrier, Shape.Array shape, Product product) {
    this.carrier = carrier;
    this.shape = shape;
    @Nullable RowProduct rows = RowProduct.of(carrier, product);
    this.multiplication = rows != null ? rows : new Gemm(carrier, product);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object a = Converter.widened(operands[0], carrier, context);
    Object b = Converter.widened(operands[1], carrier, context);
    return Converter.narrowed(
        shape, carrier, context, result -> multiplication.run(a, b, result, context, Finish.NONE));
  }

  @Override
  public boolean takesFinish() {
    return Converter.isSame(shape.elementType(), carrier)
        && multiplication.hasRows()
        && ProductKernel.isOfRows(shape, multiplication.columns());
  }

  @Override
  public void run(Literal[] operands, Object result, KernelContext context, Finish finish) {
    Object a = Converter.widened(operands[0], carrier, context);
    Object b = Converter.widened(operands[1], carrier, context);
    multiplication.run(a, b, result, context, finish);
  }

  @Override
  public String describe() {
    return multiplication.toString();
  }
}
