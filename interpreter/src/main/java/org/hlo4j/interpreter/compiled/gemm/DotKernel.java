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
  private final GemmAlgorithm algorithm;

  DotKernel(
      AccumulatorType accumulatorType,
      Shape.Array lhs,
      Shape.Array rhs,
      Shape.Array shape,
      GemmProblem product) {
    this.shape = shape;
    ElementType left = lhs.elementType();
    ElementType right = rhs.elementType();
    boolean isInt8ViaF32 =
        Int8ViaF32Gemm.fits(accumulatorType, left, right, ImmutableList.of(product));
    AccumulatorType from = isInt8ViaF32 ? AccumulatorType.F32 : accumulatorType;
    this.operands = new GemmOperands(from, accumulatorType, lhs, rhs, shape);
    @Nullable Widenings lefts = Widenings.of(left, from);
    @Nullable Widenings rights = Widenings.of(right, from);
    this.algorithm =
        isInt8ViaF32
            ? Int8ViaF32Gemm.of(
                left,
                right,
                ImmutableList.of(product),
                parts -> of(from, parts.get(0), lefts, rights))
            : of(from, product, lefts, rights);
  }

  private static GemmAlgorithm of(
      AccumulatorType accumulatorType,
      GemmProblem product,
      @Nullable Widenings left,
      @Nullable Widenings right) {
    @Nullable Gemv rows = Gemv.of(accumulatorType, product, left, right);
    if (rows != null) {
      return rows;
    }
    @Nullable SplitKGemm split = SplitKGemm.of(accumulatorType, product);
    return split != null ? split : new Gemm(accumulatorType, product, right);
  }

  @Override
  public void warmUp() {
    algorithm.warmUp();
  }

  @Override
  public Literal run(Literal[] values, KernelContext context) {
    return operands.run(
        values, context, algorithm, (a, b, c) -> algorithm.run(a, b, c, context, Epilogue.NONE));
  }

  @Override
  public boolean supportsEpilogue() {
    return operands.isDirect()
        && algorithm.hasContiguousRows()
        && GemmKernel.hasRowLength(shape, algorithm.columns());
  }

  @Override
  public void run(Literal[] values, Object result, KernelContext context, Epilogue epilogue) {
    operands.run(
        values, result, context, algorithm, (a, b, c) -> algorithm.run(a, b, c, context, epilogue));
  }

  @Override
  public String describe() {
    return algorithm.toString();
  }
}
