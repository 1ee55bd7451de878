package org.hlo4j.interpreter.compiled.conv;

import java.util.function.Consumer;
import org.hlo4j.interpreter.compiled.gemm.AccumulatorType;
import org.hlo4j.interpreter.compiled.gemm.AlignedBuffer;
import org.hlo4j.interpreter.compiled.gemm.Epilogue;
import org.hlo4j.interpreter.compiled.gemm.GemmAlgorithm;
import org.hlo4j.interpreter.compiled.gemm.MatrixCopies;
import org.hlo4j.interpreter.compiled.gemm.SharedWorkspace;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A convolution: it pads the image and the kernel if necessary, then computes matrix products, with
 * the image on the left or, transposed, on the right.
 */
final class PaddedConvolution implements GemmAlgorithm {
  private final AccumulatorType type;
  private final ConvolutionGemm lowering;
  private final boolean hasNoWork;
  private final GemmAlgorithm products;

  /**
   * Creates a convolution.
   *
   * @param type the type of the image and the kernel
   * @param hasNoWork whether all sums are empty, so that nothing is read
   * @param products multiplies the padded image and kernel
   */
  PaddedConvolution(
      AccumulatorType type, ConvolutionGemm lowering, boolean hasNoWork, GemmAlgorithm products) {
    this.type = type;
    this.lowering = lowering;
    this.hasNoWork = hasNoWork;
    this.products = products;
  }

  @Override
  public void warmUp() {
    products.warmUp();
  }

  @Override
  public GemmAlgorithm withFixedRight() {
    return lowering.isTransposed()
        ? this
        : new PaddedConvolution(type, lowering, hasNoWork, products.withFixedRight());
  }

  @Override
  public long keptBytes() {
    return products.keptBytes();
  }

  @Override
  public boolean readsRight() {
    return lowering.isTransposed() || products.readsRight();
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
          if (readsRight()) {
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
