package org.hlo4j.interpreter.compiled.conv;

import java.util.stream.Stream;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.gemm.DotKernels;
import org.hlo4j.interpreter.compiled.gemm.GemmKernel;
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
    return ConvolutionGemm.of(op, lhs.sizes(), rhs.sizes(), shape.sizes())
        .map(lowering ->
            GemmKernel.choice(
                instruction,
                lowering::products,
                parts ->
                    ConvolutionAlgorithm.of(lowering, shape.elementType().isFloating(), parts)))
        .orElse(KernelChoice.decline("a padded image, a window or a dilation that is too large"));
  }
}
