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
  private final AccumulatorType carrier;
  private final Shape.Array shape;
  private final GemmOperands operands;
  private final ImagePadding padding;
  private final ImagePadding kernelPadding;
  private final boolean transposed;
  private final boolean nothing;
  private final GemmAlgorithm multiplication;

  ConvolutionKernel(
      AccumulatorType carrier,
      Shape.Array lhs,
      Shape.Array rhs,
      Shape.Array shape,
      ConvolutionGemm form) {
    ImmutableList<GemmProblem> phases =
        form.phases().stream().map(form::product).collect(ImmutableList.toImmutableList());
    ElementType left = form.isTransposed() ? rhs.elementType() : lhs.elementType();
    ElementType right = form.isTransposed() ? lhs.elementType() : rhs.elementType();
    boolean exact = Int8ViaF32Gemm.fits(carrier, left, right, phases);
    this.carrier = exact ? AccumulatorType.F32 : carrier;
    this.shape = shape;
    this.operands = new GemmOperands(this.carrier, carrier, lhs, rhs, shape);
    this.padding = form.padding();
    this.kernelPadding = form.kernelPadding();
    this.transposed = form.isTransposed();
    this.nothing = phases.stream().allMatch(phase -> phase.work() == 0);
    boolean isPadded = !padding.isTransposeOnly() || !kernelPadding.isTransposeOnly();
    boolean isMended = carrier.isFloating() && isPadded;
    this.multiplication =
        exact
            ? Int8ViaF32Gemm.of(
                left, right, phases, parts -> of(AccumulatorType.F32, parts, form, false))
            : of(carrier, phases, form, isMended);
  }

  private static GemmAlgorithm of(
      AccumulatorType carrier, List<GemmProblem> phases, ConvolutionGemm form, boolean isMended) {
    return phases.size() == 1 && phases.get(0).work() > 0
        ? of(carrier, phases.get(0), form, isMended)
        : new PhasedConvolution(carrier, phases, phase -> of(carrier, phase, form, isMended));
  }

  private static GemmAlgorithm of(
      AccumulatorType carrier, GemmProblem product, ConvolutionGemm form, boolean isMended) {
    GemmAlgorithm plain =
        form.isLanewise()
            ? lanes(carrier, product)
            : new Gemm(carrier, product, form.isInPlace(product), null);
    return isMended
        ? new NonFinitePaddingFix(plain, new PaddedPositions(carrier, product, form))
        : plain;
  }

  private static GemmAlgorithm lanes(AccumulatorType carrier, GemmProblem product) {
    return DepthwiseSplitK.fits(product)
        ? new DepthwiseSplitK(carrier, product)
        : new DepthwiseGemm(carrier, product);
  }

  @Override
  public Literal run(Literal[] values, KernelContext context) {
    return operands.run(
        values, context, multiplication, (a, b, c) -> compute(a, b, c, context, Epilogue.NONE));
  }

  @Override
  public boolean supportsEpilogue() {
    return operands.isDirect()
        && !transposed
        && multiplication.hasRows()
        && GemmKernel.isOfRows(shape, multiplication.columns());
  }

  @Override
  public void run(Literal[] values, Object result, KernelContext context, Epilogue finish) {
    operands.run(
        values, result, context, multiplication, (a, b, c) -> compute(a, b, c, context, finish));
  }

  private void compute(
      Object image, Object kernel, Object result, KernelContext context, Epilogue finish) {
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

  private void padded(
      ImagePadding padding, Object array, KernelContext context, Consumer<Object> then) {
    if (padding.isNone()) {
      then.accept(array);
      return;
    }
    AlignedBuffer area = SharedWorkspace.borrow(carrier, (int) padding.padded().product());
    padding.run(MatrixCopies.of(carrier), array, area.array(), context);
    then.accept(area.array());
    SharedWorkspace.giveBack(carrier, area);
  }

  private void multiply(
      Object image, Object kernel, Object result, KernelContext context, Epilogue finish) {
    Object left = transposed ? kernel : image;
    Object right = transposed ? image : kernel;
    multiplication.run(left, right, result, context, finish);
  }

  @Override
  public String describe() {
    return "convolution by " + multiplication;
  }
}
