package org.hlo4j.interpreter.compiled.dots;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.Consumer;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.KernelContext;

/** A convolution: the image padded if need be, then products. */
final class ConvolutionKernel implements ProductKernel {
  private final Carrier carrier;
  private final Shape.Array shape;
  private final Operands operands;
  private final Padding padding;
  private final Padding kernelPadding;
  private final boolean transposed;
  private final boolean nothing;
  private final Multiplication multiplication;

  ConvolutionKernel(
      Carrier carrier, Shape.Array lhs, Shape.Array rhs, Shape.Array shape, WindowProduct form) {
    ImmutableList<Product> phases =
        form.phases().stream().map(form::product).collect(ImmutableList.toImmutableList());
    ElementType left = form.isTransposed() ? rhs.elementType() : lhs.elementType();
    ElementType right = form.isTransposed() ? lhs.elementType() : rhs.elementType();
    boolean exact = ExactProduct.fits(carrier, left, right, phases);
    this.carrier = exact ? Carrier.F32 : carrier;
    this.shape = shape;
    this.operands = new Operands(this.carrier, carrier, lhs, rhs, shape);
    this.padding = form.padding();
    this.kernelPadding = form.kernelPadding();
    this.transposed = form.isTransposed();
    this.nothing = phases.stream().allMatch(phase -> phase.work() == 0);
    boolean isPadded = !padding.isMove() || !kernelPadding.isMove();
    boolean isMended = carrier.isFloating() && isPadded;
    this.multiplication =
        exact
            ? ExactProduct.of(left, right, phases, parts -> of(Carrier.F32, parts, form, false))
            : of(carrier, phases, form, isMended);
  }

  private static Multiplication of(
      Carrier carrier, List<Product> phases, WindowProduct form, boolean isMended) {
    return phases.size() == 1 && phases.get(0).work() > 0
        ? of(carrier, phases.get(0), form, isMended)
        : new PhasedProduct(carrier, phases, phase -> of(carrier, phase, form, isMended));
  }

  private static Multiplication of(
      Carrier carrier, Product product, WindowProduct form, boolean isMended) {
    Multiplication plain =
        form.isLanewise()
            ? lanes(carrier, product)
            : new Gemm(carrier, product, form.isInPlace(product), null);
    return isMended ? new MendedProduct(plain, new PaddedPlaces(carrier, product, form)) : plain;
  }

  private static Multiplication lanes(Carrier carrier, Product product) {
    return LongLaneProduct.fits(product)
        ? new LongLaneProduct(carrier, product)
        : new LaneProduct(carrier, product);
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
    if (nothing) {
      multiply(image, kernel, result, context, finish);
      return;
    }
    padded(
        padding,
        image,
        context,
        whole ->
            padded(
                kernelPadding,
                kernel,
                context,
                taps -> multiply(whole, taps, result, context, finish)));
  }

  private void padded(Padding padding, Object array, KernelContext context, Consumer<Object> then) {
    if (padding.isNone()) {
      then.accept(array);
      return;
    }
    Area area = Scratch.borrow(carrier, (int) padding.padded().product());
    padding.run(Movement.of(carrier), array, area.array(), context);
    then.accept(area.array());
    Scratch.giveBack(carrier, area);
  }

  private void multiply(
      Object image, Object kernel, Object result, KernelContext context, Finish finish) {
    Object left = transposed ? kernel : image;
    Object right = transposed ? image : kernel;
    multiplication.run(left, right, result, context, finish);
  }

  @Override
  public String describe() {
    return "convolution by " + multiplication;
  }
}
