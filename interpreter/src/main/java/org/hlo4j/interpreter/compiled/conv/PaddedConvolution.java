package org.hlo4j.interpreter.compiled.conv;

import java.util.function.Consumer;
import org.hlo4j.interpreter.compiled.gemm.AccumulatorType;
import org.hlo4j.interpreter.compiled.gemm.AlignedBuffer;
import org.hlo4j.interpreter.compiled.gemm.Epilogue;
import org.hlo4j.interpreter.compiled.gemm.FixedRhs;
import org.hlo4j.interpreter.compiled.gemm.GemmAlgorithm;
import org.hlo4j.interpreter.compiled.gemm.MatrixCopies;
import org.hlo4j.interpreter.compiled.gemm.SharedWorkspace;
import org.hlo4j.interpreter.engine.KeptForms;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A convolution: it pads the image and the kernel if necessary, then computes matrix products, with
 * the image on the left or, transposed, on the right.
 *
 * @param type the type of the image and the kernel
 * @param lowering the products, of the padded image and kernel
 * @param hasNoWork whether all sums are empty, so that nothing is read
 * @param products multiplies the padded image and kernel
 */
record PaddedConvolution(
    AccumulatorType type, ConvolutionGemm lowering, boolean hasNoWork, GemmAlgorithm products)
    implements GemmAlgorithm {
  @Override
  public void warmUp() {
    products.warmUp();
  }

  @Override
  public GemmAlgorithm withFixedRight(KeptForms forms) {
    ImagePadding padding = lowering.kernelPadding();
    KeptForms padded = padding.isNone() ? forms : forms.converted(padding);
    return lowering.isTransposed()
        ? this
        : new PaddedConvolution(type, lowering, hasNoWork, products.withFixedRight(padded));
  }

  @Override
  public @Nullable FixedRhs packedRight() {
    return products.packedRight();
  }

  @Override
  public void run(
      Object image, Object kernel, Object result, KernelContext context, Epilogue epilogue) {
    withPadding(
        lowering.padding(),
        image,
        context,
        paddedImage -> {
          Consumer<Object> multiply =
              right -> {
                Object a = lowering.isTransposed() ? right : paddedImage;
                Object b = lowering.isTransposed() ? paddedImage : right;
                products.run(a, b, result, context, epilogue);
              };
          if (packedRight() == null) {
            withPadding(lowering.kernelPadding(), kernel, context, multiply);
          } else {
            multiply.accept(kernel);
          }
        });
  }

  private void withPadding(
      ImagePadding padding, Object array, KernelContext context, Consumer<Object> consumer) {
    if (hasNoWork || padding.isNone()) {
      consumer.accept(array);
      return;
    }
    AlignedBuffer buffer = SharedWorkspace.borrow(type, (int) padding.padded().product());
    padding.run(MatrixCopies.of(type), array, buffer.array(), context);
    consumer.accept(buffer.array());
    SharedWorkspace.release(type, buffer);
  }

  @Override
  public boolean hasContiguousRows() {
    return !lowering.isTransposed() && products.hasContiguousRows();
  }

  @Override
  public int columns() {
    return products.columns();
  }

  @Override
  public String toString() {
    return "convolution by " + products;
  }
}
