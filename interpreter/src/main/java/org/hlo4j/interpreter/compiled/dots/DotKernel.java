package org.hlo4j.interpreter.compiled.dots;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/** A dot: its operands widened to the carrier if need be, multiplied, the result narrowed. */
final class DotKernel implements ProductKernel {
  private final Shape.Array shape;
  private final Operands operands;
  private final Multiplication multiplication;

  DotKernel(Carrier carrier, Shape.Array lhs, Shape.Array rhs, Shape.Array shape, Product product) {
    this.shape = shape;
    ElementType left = lhs.elementType();
    ElementType right = rhs.elementType();
    boolean exact = ExactProduct.fits(carrier, left, right, ImmutableList.of(product));
    Carrier from = exact ? Carrier.F32 : carrier;
    this.operands = new Operands(from, carrier, lhs, rhs, shape);
    @Nullable Widenings lefts = Widenings.of(left, from);
    @Nullable Widenings rights = Widenings.of(right, from);
    this.multiplication =
        exact
            ? ExactProduct.of(
                left,
                right,
                ImmutableList.of(product),
                parts -> of(from, parts.get(0), lefts, rights))
            : of(from, product, lefts, rights);
  }

  private static Multiplication of(
      Carrier carrier, Product product, @Nullable Widenings left, @Nullable Widenings right) {
    @Nullable RowProduct rows = RowProduct.of(carrier, product, left, right);
    if (rows != null) {
      return rows;
    }
    @Nullable SplitProduct split = SplitProduct.of(carrier, product);
    return split != null ? split : new Gemm(carrier, product, right);
  }

  @Override
  public Literal run(Literal[] values, KernelContext context) {
    return operands.run(
        values,
        context,
        multiplication,
        (a, b, c) -> multiplication.run(a, b, c, context, Finish.NONE));
  }

  @Override
  public boolean takesFinish() {
    return operands.isDirect()
        && multiplication.hasRows()
        && ProductKernel.isOfRows(shape, multiplication.columns());
  }

  @Override
  public void run(Literal[] values, Object result, KernelContext context, Finish finish) {
    operands.run(
        values,
        result,
        context,
        multiplication,
        (a, b, c) -> multiplication.run(a, b, c, context, finish));
  }

  @Override
  public String describe() {
    return multiplication.toString();
  }
}
