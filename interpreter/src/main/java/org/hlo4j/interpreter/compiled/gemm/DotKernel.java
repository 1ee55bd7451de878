package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * The kernel of a dot of real types: it widens the operands to the accumulator type if necessary,
 * multiplies them and narrows the result.
 */
final class DotKernel implements GemmKernel {
  private final Shape.Array shape;
  private final GemmOperands operands;
  private final GemmAlgorithm multiplication;

  DotKernel(
      AccumulatorType carrier,
      Shape.Array lhs,
      Shape.Array rhs,
      Shape.Array shape,
      GemmProblem product) {
    this.shape = shape;
    ElementType left = lhs.elementType();
    ElementType right = rhs.elementType();
    boolean exact = Int8ViaF32Gemm.fits(carrier, left, right, ImmutableList.of(product));
    AccumulatorType from = exact ? AccumulatorType.F32 : carrier;
    this.operands = new GemmOperands(from, carrier, lhs, rhs, shape);
    @Nullable Widenings lefts = Widenings.of(left, from);
    @Nullable Widenings rights = Widenings.of(right, from);
    this.multiplication =
        exact
            ? Int8ViaF32Gemm.of(
                left,
                right,
                ImmutableList.of(product),
                parts -> of(from, parts.get(0), lefts, rights))
            : of(from, product, lefts, rights);
  }

  private static GemmAlgorithm of(
      AccumulatorType carrier,
      GemmProblem product,
      @Nullable Widenings left,
      @Nullable Widenings right) {
    @Nullable Gemv rows = Gemv.of(carrier, product, left, right);
    if (rows != null) {
      return rows;
    }
    @Nullable SplitKGemm split = SplitKGemm.of(carrier, product);
    return split != null ? split : new Gemm(carrier, product, right);
  }

  @Override
  public Literal run(Literal[] values, KernelContext context) {
    return operands.run(
        values,
        context,
        multiplication,
        (a, b, c) -> multiplication.run(a, b, c, context, Epilogue.NONE));
  }

  @Override
  public boolean supportsEpilogue() {
    return operands.isDirect()
        && multiplication.hasRows()
        && GemmKernel.isOfRows(shape, multiplication.columns());
  }

  @Override
  public void run(Literal[] values, Object result, KernelContext context, Epilogue finish) {
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
