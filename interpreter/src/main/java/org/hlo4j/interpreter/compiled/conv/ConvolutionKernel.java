package org.hlo4j.interpreter.compiled.conv;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.Consumer;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.gemm.AccumulatorType;
import org.hlo4j.interpreter.compiled.gemm.AlignedBuffer;
import org.hlo4j.interpreter.compiled.gemm.Epilogue;
import org.hlo4j.interpreter.compiled.gemm.Gemm;
import org.hlo4j.interpreter.compiled.gemm.GemmAlgorithm;
import org.hlo4j.interpreter.compiled.gemm.GemmKernel;
import org.hlo4j.interpreter.compiled.gemm.GemmOperands;
import org.hlo4j.interpreter.compiled.gemm.GemmProblem;
import org.hlo4j.interpreter.compiled.gemm.Int8ViaF32Gemm;
import org.hlo4j.interpreter.compiled.gemm.MatrixCopies;
import org.hlo4j.interpreter.compiled.gemm.SharedWorkspace;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * The kernel of a convolution: it pads the image and the kernel if necessary, then computes matrix
 * products.
 */
final class ConvolutionKernel implements GemmKernel {
  private final AccumulatorType accumulatorType;
  private final Shape.Array shape;
  private final GemmOperands operands;
  private final ImagePadding padding;
  private final ImagePadding kernelPadding;
  private final boolean isTransposed;
  private final boolean hasNoWork;
  private final GemmAlgorithm algorithm;

  ConvolutionKernel(
      AccumulatorType accumulatorType,
      Shape.Array lhs,
      Shape.Array rhs,
      Shape.Array shape,
      ConvolutionGemm lowering) {
    ImmutableList<GemmProblem> phases =
        lowering.phases().stream().map(lowering::product).collect(ImmutableList.toImmutableList());
    ElementType left = lowering.isTransposed() ? rhs.elementType() : lhs.elementType();
    ElementType right = lowering.isTransposed() ? lhs.elementType() : rhs.elementType();
    boolean isInt8ViaF32 = Int8ViaF32Gemm.fits(accumulatorType, left, right, phases);
    this.accumulatorType = isInt8ViaF32 ? AccumulatorType.F32 : accumulatorType;
    this.shape = shape;
    this.operands = new GemmOperands(this.accumulatorType, accumulatorType, lhs, rhs, shape);
    this.padding = lowering.padding();
    this.kernelPadding = lowering.kernelPadding();
    this.isTransposed = lowering.isTransposed();
    this.hasNoWork = phases.stream().allMatch(phase -> phase.work() == 0);
    boolean isPadded = !padding.isTransposeOnly() || !kernelPadding.isTransposeOnly();
    boolean fixesNonFinite = accumulatorType.isFloating() && isPadded;
    this.algorithm =
        isInt8ViaF32
            ? Int8ViaF32Gemm.of(
                left, right, phases, parts -> of(AccumulatorType.F32, parts, lowering, false))
            : of(accumulatorType, phases, lowering, fixesNonFinite);
  }

  private static GemmAlgorithm of(
      AccumulatorType accumulatorType,
      List<GemmProblem> phases,
      ConvolutionGemm lowering,
      boolean fixesNonFinite) {
    return phases.size() == 1 && phases.get(0).work() > 0
        ? of(accumulatorType, phases.get(0), lowering, fixesNonFinite)
        : new PhasedConvolution(
            accumulatorType, phases, phase -> of(accumulatorType, phase, lowering, fixesNonFinite));
  }

  private static GemmAlgorithm of(
      AccumulatorType accumulatorType,
      GemmProblem product,
      ConvolutionGemm lowering,
      boolean fixesNonFinite) {
    GemmAlgorithm plain =
        lowering.isDepthwise()
            ? depthwise(accumulatorType, product)
            : new Gemm(accumulatorType, product, lowering.isInPlace(product), null);
    return fixesNonFinite
        ? new NonFinitePaddingFix(plain, new PaddedPositions(accumulatorType, product, lowering))
        : plain;
  }

  private static GemmAlgorithm depthwise(AccumulatorType accumulatorType, GemmProblem product) {
    return DepthwiseSplitK.fits(product)
        ? new DepthwiseSplitK(accumulatorType, product)
        : new DepthwiseGemm(accumulatorType, product);
  }

  @Override
  public void warmUp() {
    algorithm.warmUp();
  }

  @Override
  public Literal run(Literal[] values, KernelContext context) {
    return operands.run(
        values, context, algorithm, (a, b, c) -> compute(a, b, c, context, Epilogue.NONE));
  }

  @Override
  public boolean supportsEpilogue() {
    return operands.isDirect()
        && !isTransposed
        && algorithm.hasContiguousRows()
        && GemmKernel.hasRowLength(shape, algorithm.columns());
  }

  @Override
  public void run(Literal[] values, Object result, KernelContext context, Epilogue epilogue) {
    operands.run(
        values, result, context, algorithm, (a, b, c) -> compute(a, b, c, context, epilogue));
  }

  private void compute(
      Object image, Object kernel, Object result, KernelContext context, Epilogue epilogue) {
    if (hasNoWork) {
      multiply(image, kernel, result, context, epilogue);
      return;
    }
    withPadding(
        padding,
        image,
        context,
        paddedImage ->
            withPadding(
                kernelPadding,
                kernel,
                context,
                paddedKernel -> multiply(paddedImage, paddedKernel, result, context, epilogue)));
  }

  private void withPadding(
      ImagePadding padding, Object array, KernelContext context, Consumer<Object> consumer) {
    if (padding.isNone()) {
      consumer.accept(array);
      return;
    }
    AlignedBuffer buffer =
        SharedWorkspace.borrow(accumulatorType, (int) padding.padded().product());
    padding.run(MatrixCopies.of(accumulatorType), array, buffer.array(), context);
    consumer.accept(buffer.array());
    SharedWorkspace.release(accumulatorType, buffer);
  }

  private void multiply(
      Object image, Object kernel, Object result, KernelContext context, Epilogue epilogue) {
    Object left = isTransposed ? kernel : image;
    Object right = isTransposed ? image : kernel;
    algorithm.run(left, right, result, context, epilogue);
  }

  @Override
  public String describe() {
    return "convolution by " + algorithm;
  }
}
