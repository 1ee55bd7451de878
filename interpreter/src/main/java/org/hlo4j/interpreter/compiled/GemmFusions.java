package org.hlo4j.interpreter.compiled;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.compiled.gemm.GemmKernel;
import org.hlo4j.interpreter.compiled.loops.RowEpilogueLoop;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * Kernels of dots and convolutions that are fused with an element-wise epilogue, such as a bias and
 * an activation. The product is rounded to its type before the epilogue, as it is without a fusion,
 * so that the bits are the same.
 */
final class GemmFusions {
  private GemmFusions() {}

  /** {@return whether a kernel can apply an epilogue to rows of its result} */
  static boolean supportsEpilogue(KernelChoice product) {
    return product.kernel().orElse(null) instanceof GemmKernel kernel && kernel.supportsEpilogue();
  }

  /**
   * Returns the kernel of a fusion.
   *
   * @param fusion any instruction
   * @param observesNanBits whether one NaN of the result may be told from another
   * @param products the kernels of dots and convolutions
   * @return the kernel; none if the fusion is not one product of two parameters, followed by
   *     element-wise ops whose result has the sizes and the type of the product
   */
  static KernelChoice kernel(
      HloInstruction fusion,
      boolean observesNanBits,
      Function<HloInstruction, KernelChoice> products) {
    if (!(fusion.op() instanceof Fusion)) {
      return KernelChoice.NONE;
    }
    if (observesNanBits) {
      return KernelChoice.decline("a product whose NaN bits are observed");
    }
    HloComputation fused = fusion.called().get(0);
    List<HloInstruction> all =
        fused.instructions().stream()
            .filter(each -> each.op() instanceof Dot || each.op() instanceof Convolution)
            .toList();
    if (all.size() != 1 || all.get(0) == fused.root()) {
      return KernelChoice.decline("no single product with an epilogue");
    }
    HloInstruction product = all.get(0);
    if (!(product.operands().get(0).op() instanceof Parameter lhs)
        || !(product.operands().get(1).op() instanceof Parameter rhs)) {
      return KernelChoice.decline("a product of what is computed");
    }
    if (!(fused.root().shape().withoutLayout() instanceof Shape.Array shape)
        || !shape.equals(product.shape().withoutLayout())) {
      return KernelChoice.decline("an epilogue of other sizes or type than the product");
    }
    return products
        .apply(product)
        .flatMap(kernel ->
            kernel instanceof GemmKernel gemm && gemm.supportsEpilogue()
                ? KernelChoice.of(
                    RowEpilogueLoop.of(epilogue(fused, product), false)
                        .map(loop ->
                            new GemmWithEpilogue(shape, gemm, lhs.number(), rhs.number(), loop)),
                    "no loop over rows for the epilogue")
                : KernelChoice.decline("a product that has no rows for an epilogue"));
  }

  /** Returns the fused computation in which the product is replaced by one more, last parameter. */
  private static HloComputation epilogue(HloComputation fused, HloInstruction product) {
    Map<HloInstruction, HloInstruction> written = new HashMap<>();
    ImmutableList.Builder<HloInstruction> all = ImmutableList.builder();
    for (HloInstruction each : fused.instructions()) {
      HloInstruction copy =
          each == product
              ? HloInstruction.of(
                  product.name(),
                  new Parameter(fused.parameters().size(), product.shape().withoutLayout()))
              : each.withOperands(
                  each.operands().stream().map(written::get).map(Objects::requireNonNull).toList());
      written.put(each, copy);
      all.add(copy);
    }
    HloInstruction root = Objects.requireNonNull(written.get(fused.root()));
    return HloComputation.create(fused.name(), all.build(), root);
  }
}
