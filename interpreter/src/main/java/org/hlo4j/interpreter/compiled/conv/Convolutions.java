package org.hlo4j.interpreter.compiled.conv;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
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
import org.hlo4j.interpreter.compiled.gemm.ImageBorder;
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
    Map<GemmProblem, ImageBorder> borders = new IdentityHashMap<>();
    ImmutableList<GemmProblem> phases =
        lowering.phases().stream().map(lowering::product).collect(ImmutableList.toImmutableList());
    Streams.forEachPair(
        phases.stream(), lowering.phases().stream().map(lowering::border), borders::put);
    ElementType left = lowering.isTransposed() ? rhs.elementType() : lhs.elementType();
    ElementType right = lowering.isTransposed() ? lhs.elementType() : rhs.elementType();
    AccumulatorType type = Int8ViaF32Gemm.operandType(accumulatorType, left, right, phases);
    boolean isPadded =
        !lowering.padding().isTransposeOnly() || !lowering.kernelPadding().isTransposeOnly();
    boolean fixesNonFinite = accumulatorType.isFloating() && isPadded;
    GemmAlgorithm products =
        Int8ViaF32Gemm.of(
            accumulatorType,
            left,
            right,
            phases,
            parts ->
                phases(
                    type, parts, phase -> phase(type, phase, lowering, fixesNonFinite, borders)));
    boolean hasNoWork = phases.stream().allMatch(phase -> phase.work() == 0);
    return new GemmKernel(
        type,
        accumulatorType,
        lhs,
        rhs,
        shape,
        new PaddedConvolution(type, lowering, hasNoWork, products));
  }

  private static GemmAlgorithm phases(
      AccumulatorType type,
      List<GemmProblem> phases,
      Function<GemmProblem, GemmAlgorithm> factory) {
    return phases.size() == 1 && phases.get(0).work() > 0
        ? factory.apply(phases.get(0))
        : new PhasedConvolution(type, phases, factory);
  }

  private static GemmAlgorithm phase(
      AccumulatorType type,
      GemmProblem product,
      ConvolutionGemm lowering,
      boolean fixesNonFinite,
      Map<GemmProblem, ImageBorder> borders) {
    ImageBorder border = borders.getOrDefault(product, ImageBorder.NONE);
    GemmAlgorithm plain =
        GemmAlgorithm.of(GemmConfig.convolution(type, product, lowering.kind(), border));
    return fixesNonFinite
        ? new NonFinitePaddingFix(plain, new PaddedPositions(type, product, lowering))
        : plain;
  }
}
