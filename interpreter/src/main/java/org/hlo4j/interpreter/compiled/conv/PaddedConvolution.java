package org.hlo4j.interpreter.compiled.conv;

import com.google.common.base.Suppliers;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.gemm.AccumulatorType;
import org.hlo4j.interpreter.compiled.gemm.AlignedBuffer;
import org.hlo4j.interpreter.compiled.gemm.Epilogue;
import org.hlo4j.interpreter.compiled.gemm.FixedRhs;
import org.hlo4j.interpreter.compiled.gemm.GemmAlgorithm;
import org.hlo4j.interpreter.compiled.gemm.MatrixCopies;
import org.hlo4j.interpreter.compiled.gemm.SharedWorkspace;
import org.hlo4j.interpreter.engine.KeptForms;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.jspecify.annotations.Nullable;

/**
 * A convolution that is not empty: it pads the image and the kernel if necessary, computes matrix
 * products, with the image on the left or on the right, and corrects sums that padding spoils.
 *
 * @param type the type of the image and the kernel
 * @param image the image that the products read
 * @param kernel the kernel that the products read
 * @param isKernelLeft whether the kernel is the left side of the products
 * @param size the number of elements of the result
 * @param positions the sums to correct; null if there are none
 * @param products multiplies the padded image and kernel
 */
record PaddedConvolution(
    AccumulatorType type,
    PaddedCopy image,
    PaddedCopy kernel,
    boolean isKernelLeft,
    int size,
    @Nullable PaddedPositions positions,
    GemmAlgorithm products)
    implements GemmAlgorithm {
  @Override
  public void warmUp() {
    products.warmUp();
  }

  @Override
  public GemmAlgorithm withFixedRight(KeptForms forms) {
    KeptForms padded = kernel.isNone() ? forms : forms.converted(kernel);
    return isKernelLeft
        ? this
        : new PaddedConvolution(
            type, image, kernel, false, size, positions, products.withFixedRight(padded));
  }

  @Override
  public @Nullable FixedRhs packedRight() {
    return products.packedRight();
  }

  @Override
  public void run(Object x, Object y, Object c, KernelContext context, Epilogue epilogue) {
    withPadded(
        image,
        x,
        context,
        a -> {
          FixedRhs packed = packedRight();
          if (packed == null) {
            withPadded(kernel, y, context, b -> multiply(a, b, () -> b, c, context, epilogue));
          } else {
            multiply(a, y, Suppliers.memoize(() -> unpacked(packed)), c, context, epilogue);
          }
        });
  }

  private Object unpacked(FixedRhs packed) {
    Object b = MatrixCopies.of(type).allocate((int) kernel.padded().product());
    packed.restore(b);
    return b;
  }

  private void withPadded(
      PaddedCopy copy, Object array, KernelContext context, Consumer<Object> consumer) {
    if (copy.isNone()) {
      consumer.accept(array);
      return;
    }
    AlignedBuffer buffer = SharedWorkspace.borrow(type, (int) copy.padded().product());
    copy.run(type, array, buffer.array(), context);
    consumer.accept(buffer.array());
    SharedWorkspace.release(type, buffer);
  }

  /**
   * Multiplies a padded image and kernel.
   *
   * @param read the kernel for the correction of sums; it differs from {@code b} if products do not
   *     read that
   */
  private void multiply(
      Object a,
      Object b,
      Supplier<Object> read,
      Object c,
      KernelContext context,
      Epilogue epilogue) {
    Object left = isKernelLeft ? b : a;
    Object right = isKernelLeft ? a : b;
    if (positions == null) {
      products.run(left, right, c, context, epilogue);
    } else if (products.hasContiguousRows()) {
      Epilogue corrected = positions.correctBefore(epilogue, products.columns(), a, read, c);
      products.run(left, right, c, context, corrected);
    } else {
      products.run(left, right, c, context, epilogue);
      Parallel.forRange(
          context,
          size,
          Machine.COPY_GRAIN,
          (first, end) -> positions.correct(a, read, c, first, end));
    }
  }

  @Override
  public boolean hasContiguousRows() {
    return !isKernelLeft && products.hasContiguousRows();
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
