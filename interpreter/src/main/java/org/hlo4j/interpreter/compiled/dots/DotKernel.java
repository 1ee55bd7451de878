package org.hlo4j.interpreter.compiled.dots;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;

/** A dot: its operands widened to the carrier if need be, multiplied, the result narrowed. */
final class DotKernel implements Kernel {
  private static final int CONVERTED_AT_ONCE = 1 << 14;

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
    Object a = widened(operands[0], context);
    Object b = widened(operands[1], context);
    Object result = context.allocate(shape);
    if (Converter.isSame(shape.elementType(), carrier)) {
      gemm.run(a, b, result, context);
    } else {
      int count = (int) shape.elementCount();
      Object wide = Numbers.of(carrier).allocate(count);
      gemm.run(a, b, wide, context);
      convert(
          count,
          context,
          (start, end) -> Converter.narrow(wide, result, shape.elementType(), start, end));
    }
    return Literal.unsafeOf(shape, result);
  }

  private Object widened(Literal operand, KernelContext context) {
    Object storage = operand.unsafeStorage();
    if (Converter.isSame(operand.elementType(), carrier)) {
      return storage;
    }
    Object wide = Numbers.of(carrier).allocate(operand.elementCount());
    convert(
        operand.elementCount(),
        context,
        (start, end) -> Converter.widen(storage, operand.elementType(), wide, start, end));
    return wide;
  }

  /** What converts some of the elements. */
  private interface Range {
    void convert(int start, int end);
  }

  private static void convert(int count, KernelContext context, Range range) {
    Chunks.run(
        context,
        false,
        Math.ceilDiv(count, CONVERTED_AT_ONCE),
        chunk ->
            range.convert(
                chunk * CONVERTED_AT_ONCE,
                (int) Math.min(count, (chunk + 1L) * CONVERTED_AT_ONCE)));
  }

  @Override
  public String describe() {
    return gemm.toString();
  }
}
