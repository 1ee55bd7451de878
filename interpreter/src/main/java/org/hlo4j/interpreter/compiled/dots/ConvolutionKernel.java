package org.hlo4j.interpreter.compiled.dots;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;

/** A convolution: the image padded if need be, then products. */
final class ConvolutionKernel implements Kernel {
  private final Carrier carrier;
  private final Shape.Array shape;
  private final Padding padding;
  private final boolean transposed;
  private final boolean nothing;
  private final Gemm gemm;

  ConvolutionKernel(Carrier carrier, Shape.Array shape, WindowProduct form) {
    Product product = form.product();
    this.carrier = carrier;
    this.shape = shape;
    this.padding = form.padding();
    this.transposed = form.isTransposed();
    this.nothing = product.work() == 0;
    this.gemm = new Gemm(carrier, product, form.isInPlace());
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object image = Converter.widened(operands[0], carrier, context);
    Object kernel = Converter.widened(operands[1], carrier, context);
    if (padding.isNone() || nothing) {
      return result(image, kernel, context);
    }
    Area padded = Scratch.borrow(carrier, (int) padding.padded().product());
    padding.run(Numbers.of(carrier), image, padded.array(), context);
    Literal result = result(padded.array(), kernel, context);
    Scratch.giveBack(carrier, padded);
    return result;
  }

  private Literal result(Object image, Object kernel, KernelContext context) {
    Object left = transposed ? kernel : image;
    Object right = transposed ? image : kernel;
    return Converter.narrowed(
        shape, carrier, context, result -> gemm.run(left, right, result, context));
  }

  @Override
  public String describe() {
    return "convolution by " + gemm;
  }
}
