package org.hlo4j.interpreter.compiled.dots;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.kernel.KernelContext;

/** A dot: its operands widened to the carrier if need be, multiplied, the result narrowed. */
final class DotKernel implements ProductKernel {
  private final Carrier carrier;
  private final Shape.Array shape;
  private final Gemm gemm;

  DotKernel(Carrier carrier, Shape.Array shape, Product product) {
    this.carrier = carrier;
    this.shape = shape;
    this.gemm = new Gemm(carrier, product);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object a = Converter.widened(operands[0], carrier, context);
    Object b = Converter.widened(operands[1], carrier, context);
    return Converter.narrowed(
        shape, carrier, context, result -> gemm.run(a, b, result, context, Finish.NONE));
  }

  @Override
  public boolean takesFinish() {
    return Converter.isSame(shape.elementType(), carrier)
        && gemm.hasRows()
        && ProductKernel.isOfRows(shape, gemm.columns());
  }

  @Override
  public void run(Literal[] operands, Object result, KernelContext context, Finish finish) {
    Object a = Converter.widened(operands[0], carrier, context);
    Object b = Converter.widened(operands[1], carrier, context);
    gemm.run(a, b, result, context, finish);
  }

  @Override
  public String describe() {
    return gemm.toString();
  }
}
