package org.hlo4j.interpreter.compiled.conv;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.gemm.AccumulatorType;
import org.hlo4j.interpreter.compiled.gemm.DotKernels;
import org.hlo4j.interpreter.compiled.gemm.GemmAlgorithm;
import org.hlo4j.interpreter.compiled.gemm.GemmConfig;
import org.hlo4j.interpreter.compiled.gemm.GemmKernel;
import org.hlo4j.interpreter.compiled.gemm.GemmProblem;
import org.hlo4j.interpreter.compiled.gemm.Int8ViaF32Gemm;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * Kernels for convolutions of any rank, with groups, padding and dilation. They are lowered to
 * matrix products. The rows of the left side are the windows of the padded image, which are not
 * copied. Types and roundings are those of {@link DotKernels}.
 */
public final class Convolutions {
  private Convolutions() {}

  /**
   * Returns the kernel of a convolution.
   *
   * @param instruction a convolution
   * @return the kernel; declined for dynamic shapes, arrays that are too large, types without a
   *     {@link DotKernels#accumulatorType}, and a padded image or tables of offsets of more than an
   *     acceptable size
   */
  public static KernelChoice kernel(HloInstruction instruction) {
    if (!(instruction.op() instanceof Convolution op)
        || !(instruction.shape() instanceof Shape.Array shape)) {
      return KernelChoice.NONE;
    }
    Shape.Array lhs = (Shape.Array) instruction.operands().get(0).shape();
    Shape.Array rhs = (Shape.Array) instruction.operands().get(1).shape();
    if (!Stream.of(lhs, rhs, shape).allMatch(Storages::canHold)) {
      return KernelChoice.decline(DotKernels.TOO_MANY);
    }
    Shape.Array plain = shape.withLayout(null);
    ConvolutionGemm lowering = new ConvolutionGemm(op, lhs.sizes(), rhs.sizes(), shape.sizes());
    if (!lowering.hasAcceptableSize()) {
      return KernelChoice.decline("a padded image or a window of too many elements");
    }
    return KernelChoice.of(
        DotKernels.accumulatorType(lhs.elementType(), rhs.elementType(), shape.elementType())
            .map(accumulatorType -> kernel(accumulatorType, lhs, rhs, plain, lowering)),
        DotKernels.noTile(lhs.elementType(), rhs.elementType(), shape.elementType()));
  }

  private static GemmKernel kernel(
      AccumulatorType accumulatorType,
      Shape.Array lhs,
      Shape.Array rhs,
      Shape.Array shape,
      ConvolutionGemm lowering) {
    ElementType left = lowering.isTransposed() ? rhs.elementType() : lhs.elementType();
    ElementType right = lowering.isTransposed() ? lhs.elementType() : rhs.elementType();
    List<GemmProblem> products = lowering.phases().stream().map(lowering::product).toList();
    AccumulatorType type = Int8ViaF32Gemm.operandType(accumulatorType, left, right, products);
    ImmutableList<GemmConfig> configs =
        Streams.zip(
                lowering.phases().stream(),
                products.stream(),
                (phase, product) ->
                    GemmConfig.convolution(type, product, lowering.kind(), lowering.border(phase)))
            .collect(ImmutableList.toImmutableList());
    boolean isPadded =
        !lowering.padding().isTransposeOnly() || !lowering.kernelPadding().isTransposeOnly();
    boolean fixesNonFinite = accumulatorType.isFloating() && isPadded;
    GemmAlgorithm algorithm =
        Int8ViaF32Gemm.of(
            accumulatorType,
            left,
            right,
            configs,
            parts -> phases(parts, phase -> phase(phase, lowering, fixesNonFinite)));
    boolean hasNoWork = products.stream().allMatch(phase -> phase.work() == 0);
    return GemmKernel.of(
        type,
        accumulatorType,
        lhs,
        rhs,
        shape,
        new PaddedConvolution(type, lowering, hasNoWork, algorithm));
  }

  private static GemmAlgorithm phases(
      List<GemmConfig> phases, Function<GemmConfig, GemmAlgorithm> factory) {
    return phases.size() == 1 && phases.get(0).product().work() > 0
        ? factory.apply(phases.get(0))
        : new PhasedConvolution(phases, factory);
  }

  private static GemmAlgorithm phase(
      GemmConfig config, ConvolutionGemm lowering, boolean fixesNonFinite) {
    GemmAlgorithm plain = GemmAlgorithm.of(config);
    return fixesNonFinite
        ? new NonFinitePaddingFix(plain, new PaddedPositions(config, lowering))
        : plain;
  }
}
