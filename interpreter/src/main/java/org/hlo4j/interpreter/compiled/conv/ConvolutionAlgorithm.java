package org.hlo4j.interpreter.compiled.conv;

import com.google.common.base.Suppliers;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.gemm.AccumulatorType;
import org.hlo4j.interpreter.compiled.gemm.Epilogue;
import org.hlo4j.interpreter.compiled.gemm.FixedRhs;
import org.hlo4j.interpreter.compiled.gemm.GemmAlgorithm;
import org.hlo4j.interpreter.compiled.gemm.GemmConfig;
import org.hlo4j.interpreter.compiled.gemm.GemmProblem;
import org.hlo4j.interpreter.compiled.gemm.MatrixCopies;
import org.hlo4j.interpreter.engine.KeptForms;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Liveness;
import org.hlo4j.interpreter.engine.Parallel;
import org.jspecify.annotations.Nullable;

/**
 * A convolution: it pads the image and the kernel if necessary and computes the products of all
 * phases. Each product stores its own positions of the result; positions that meet no tap are
 * zeros. Sums that padding spoils are corrected.
 */
final class ConvolutionAlgorithm implements GemmAlgorithm {
  private final ConvolutionGemm lowering;

  /** The positions to correct; null if there are none. */
  private final @Nullable PaddedPositions positions;

  private final List<GemmConfig> phases;
  private final List<GemmAlgorithm> products;
  private final AccumulatorType type;
  private final int size;
  private final int rowLength;

  private ConvolutionAlgorithm(
      ConvolutionGemm lowering,
      @Nullable PaddedPositions positions,
      List<GemmConfig> phases,
      List<GemmAlgorithm> products) {
    this.lowering = lowering;
    this.positions = positions;
    this.phases = phases;
    this.products = products;
    this.type = phases.get(0).accumulatorType();
    List<GemmProblem> problems = phases.stream().map(GemmConfig::product).toList();
    int first = problems.get(0).columns();
    this.size = GemmProblem.resultElements(problems);
    boolean areRows =
        problems.stream()
            .allMatch(each -> each.columns() == first && each.columnsC().isContiguous());
    this.rowLength = isSingle() ? products.get(0).rowLength() : areRows ? first : 0;
  }

  /**
   * {@return the algorithm}
   *
   * @param lowering the convolution
   * @param isFloating whether the result has infinities and NaNs
   * @param phases the products of all phases, which together fill the result
   */
  static ConvolutionAlgorithm of(
      ConvolutionGemm lowering, boolean isFloating, List<GemmConfig> phases) {
    List<GemmAlgorithm> products =
        phases.stream().filter(phase -> phase.product().work() > 0).map(GemmAlgorithm::of).toList();
    boolean isPadded = lowering.image.isPadded() || lowering.kernel.isPadded();
    @Nullable PaddedPositions positions =
        isPadded && isFloating && !products.isEmpty() ? new PaddedPositions(lowering) : null;
    return new ConvolutionAlgorithm(lowering, positions, phases, products);
  }

  /** {@return whether there is a single product, which fills the result} */
  private boolean isSingle() {
    return phases.size() == 1 && products.size() == 1;
  }

  @Override
  public boolean isReady() {
    return GemmAlgorithm.areReady(products);
  }

  @Override
  public GemmAlgorithm withFixedRight(KeptForms forms) {
    PaddedCopy kernel = lowering.kernel;
    KeptForms padded = kernel.isNone() ? forms : forms.converted(kernel);
    return isSingle()
        ? new ConvolutionAlgorithm(
            lowering, positions, phases, List.of(products.get(0).withFixedRight(padded)))
        : this;
  }

  @Override
  public @Nullable FixedRhs packedRight() {
    return isSingle() ? products.get(0).packedRight() : null;
  }

  @Override
  public void run(Object x, Object y, Object c, KernelContext context, Epilogue epilogue) {
    if (size == 0) {
      return;
    }
    @Nullable FixedRhs packed = packedRight();
    withPadded(
        lowering.image,
        x,
        context,
        a -> {
          if (packed == null) {
            withPadded(lowering.kernel, y, context, b -> run(a, b, () -> b, c, context, epilogue));
          } else {
            Shape.Array unpacked = Shape.of(type.type(), lowering.kernel.padded().product());
            context.reserving(
                positions == null ? 0 : Liveness.bytes(unpacked),
                () -> "an unpacked kernel of a convolution",
                () -> run(a, y, Suppliers.memoize(() -> unpacked(packed)), c, context, epilogue));
          }
        });
  }

  private Object unpacked(FixedRhs packed) {
    Object b = MatrixCopies.of(type).allocate((int) lowering.kernel.padded().product());
    packed.restore(b);
    return b;
  }

  private void withPadded(
      PaddedCopy copy, Object array, KernelContext context, Consumer<Object> consumer) {
    if (copy.isNone() || products.isEmpty()) {
      consumer.accept(array);
      return;
    }
    Shape.Array shape = Shape.of(type.type(), copy.padded().product());
    Object padded = context.borrow(shape, "a padded image or kernel");
    copy.run(type, array, padded, context);
    consumer.accept(padded);
    context.giveBack(shape, padded);
  }

  /**
   * Multiplies a padded image and kernel.
   *
   * @param unpacked the kernel as a row-major array, for the correction of sums; {@code b} unless
   *     that is packed
   */
  private void run(
      Object a,
      Object b,
      Supplier<Object> unpacked,
      Object c,
      KernelContext context,
      Epilogue epilogue) {
    int columns = Math.max(1, rowLength);
    Epilogue last =
        positions == null ? epilogue : positions.correctBefore(epilogue, columns, a, unpacked, c);
    boolean isInProduct = isSingle() && rowLength > 0;
    int rows = size / columns;
    int grain = Math.max(1, Machine.COPY_GRAIN / columns);
    if (products.size() < phases.size()) {
      MatrixCopies copies = MatrixCopies.of(type);
      new Parallel(context, rows, grain)
          .run((i0, i1) -> copies.clear(c, i0 * columns, i1 * columns));
    }
    for (GemmAlgorithm each : products) {
      each.run(a, b, c, context, isInProduct ? last : Epilogue.NONE);
    }
    if (!isInProduct && last != Epilogue.NONE) {
      new Parallel(context, rows, grain).run((i0, i1) -> last.run(i0, i1, 0, columns));
    }
  }

  @Override
  public int rowLength() {
    return rowLength;
  }

  @Override
  public String toString() {
    String of = products.size() < phases.size() ? " of " + phases.size() : "";
    return "convolution by "
        + (products.isEmpty()
            ? "zeros"
            : (isSingle() ? "" : products.size() + of + " phases, the first ") + products.get(0));
  }
}
