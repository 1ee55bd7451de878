package org.hlo4j.interpreter.compiled.dots;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.kernel.KernelContext;
import org.jspecify.annotations.Nullable;

/** A convolution: the image padded if need be, then products. */
final class ConvolutionKernel implements ProductKernel {
  private final Carrier carrier;
  private final Shape.Array shape;
  private final Operands operands;
  private final Padding padding;
  private final boolean transposed;
  private final boolean nothing;
  private final Multiplication multiplication;
  private final @Nullable PaddedPlaces padded;

  ConvolutionKernel(
      Carrier carrier, Shape.Array lhs, Shape.Array rhs, Shape.Array shape, WindowProduct form) {
    Product product = form.isLanewise() ? form.lanes() : form.product();
    ElementType left = form.isTransposed() ? rhs.elementType() : lhs.elementType();
    ElementType right = form.isTransposed() ? lhs.elementType() : rhs.elementType();
    boolean exact = ExactProduct.fits(carrier, left, right, product);
    this.carrier = exact ? Carrier.F32 : carrier;
    this.shape = shape;
    this.operands = new Operands(this.carrier, carrier, lhs, rhs, shape);
    this.padding = form.padding();
    this.transposed = form.isTransposed();
    this.nothing = product.work() == 0;
    this.multiplication =
        exact
            ? ExactProduct.of(left, right, product, part -> multiplication(Carrier.F32, part, form))
            : multiplication(carrier, product, form);
    this.padded =
        nothing || padding.isNone() || exact || !carrier.isFloating()
            ? null
            : new PaddedPlaces(carrier, product, form);
  }

  private static Multiplication multiplication(
      Carrier carrier, Product product, WindowProduct form) {
    return form.isLanewise()
        ? new LaneProduct(carrier, product)
        : new Gemm(carrier, product, form.isInPlace(), null);
  }

  @Override
  public Literal run(Literal[] values, KernelContext context) {
    return operands.run(
        values, context, multiplication, (a, b, c) -> compute(a, b, c, context, Finish.NONE));
  }

  @Override
  public boolean takesFinish() {
    return operands.isDirect()
        && !transposed
        && multiplication.hasRows()
        && ProductKernel.isOfRows(shape, multiplication.columns());
  }

  @Override
  public void run(Literal[] values, Object result, KernelContext context, Finish finish) {
    operands.run(
        values, result, context, multiplication, (a, b, c) -> compute(a, b, c, context, finish));
  }

  private void compute(
      Object image, Object kernel, Object result, KernelContext context, Finish finish) {
    if (padding.isNone() || nothing) {
      multiply(image, kernel, result, context, finish);
      return;
    }
    Area area = Scratch.borrow(carrier, (int) padding.padded().product());
    padding.run(Movement.of(carrier), image, area.array(), context);
    multiply(area.array(), kernel, result, context, finish);
    Scratch.giveBack(carrier, area);
  }

  private void multiply(
      Object image, Object kernel, Object result, KernelContext context, Finish finish) {
    Object left = transposed ? kernel : image;
    Object right = transposed ? image : kernel;
    if (padded == null) {
      multiplication.run(left, right, result, context, finish);
    } else if (multiplication.hasRows()) {
      multiplication.run(left, right, result, context, padded.before(finish, left, right, result));
    } else {
      multiplication.run(left, right, result, context, finish);
      padded.mend(left, right, result);
    }
  }

  @Override
  public String describe() {
    return "convolution by " + multiplication;
  }
}
