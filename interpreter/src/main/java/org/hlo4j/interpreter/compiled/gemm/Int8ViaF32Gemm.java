package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.Function;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * A product of narrow integers, computed in f32. As long as no sum exceeds 2^24, f32 represents it
 * exactly, and multiplies and adds several times as fast as integer arithmetic. The contracting
 * dimension is cut into parts that are short enough, whose sums are then added as integers. As many
 * parts as there is room for are the batches of one product.
 */
public final class Int8ViaF32Gemm implements GemmAlgorithm {
  private static final double MAX_EXACT_SUM = 0x1p24;

  /** With fewer sums, a product in integers is as fast as parts of it in f32. */
  private static final int MIN_SUMS_OF_PARTS = 1 << 12;

  /** The maximum number of sums of parts that are computed by one product. */
  private static final int MAX_SUMS = 1 << 18;

  private final int size;
  private final ImmutableList<GemmAlgorithm> algorithms;

  /** The number of parts that an algorithm computes; its last one may compute fewer. */
  private final int stack;

  private final int parts;

  private Int8ViaF32Gemm(int size, int stack, int parts, ImmutableList<GemmAlgorithm> algorithms) {
    this.size = size;
    this.stack = stack;
    this.parts = parts;
    this.algorithms = algorithms;
  }

  /** {@return the type in which to multiply: f32 if that is better for integers of these types} */
  public static AccumulatorType operandType(
      AccumulatorType accumulatorType,
      ElementType lhs,
      ElementType rhs,
      List<GemmProblem> products) {
    return fits(accumulatorType, lhs, rhs, products) ? AccumulatorType.F32 : accumulatorType;
  }

  private static boolean fits(
      AccumulatorType accumulatorType,
      ElementType lhs,
      ElementType rhs,
      List<GemmProblem> products) {
    return accumulatorType == AccumulatorType.I32
        && lhs.bits() <= Byte.SIZE
        && rhs.bits() <= Byte.SIZE
        && products.stream().mapToDouble(GemmProblem::work).sum() > GemmProblem.SMALL
        && (products.stream().allMatch(product -> product.k() <= maxExactSteps(lhs, rhs))
            || (products.size() == 1
                && products.get(0).hasConstantStrides()
                && GemmProblem.resultElements(products) >= MIN_SUMS_OF_PARTS));
  }

  /** {@return the number of products whose sum f32 represents exactly, whatever they are} */
  private static int maxExactSteps(ElementType lhs, ElementType rhs) {
    return (int) (MAX_EXACT_SUM / (maxMagnitude(lhs) * maxMagnitude(rhs)));
  }

  private static double maxMagnitude(ElementType type) {
    return Math.max(type.maxLong(), -type.minLong());
  }

  /**
   * Returns the algorithm for products: in f32 if that is their type, but not that of the result.
   *
   * @param configs one product, or several that together fill the result
   * @param factory creates the algorithm that computes products in their type
   */
  public static GemmAlgorithm of(
      AccumulatorType resultType,
      ElementType lhs,
      ElementType rhs,
      List<GemmConfig> configs,
      Function<List<GemmConfig>, GemmAlgorithm> factory) {
    GemmConfig first = configs.get(0);
    if (first.accumulatorType() == resultType) {
      return factory.apply(configs);
    }
    int size = GemmProblem.resultElements(configs.stream().map(GemmConfig::product).toList());
    GemmProblem product = first.product();
    int steps = maxExactSteps(lhs, rhs);
    if (configs.size() > 1 || product.k() <= steps) {
      return new Int8ViaF32Gemm(size, 1, 1, ImmutableList.of(factory.apply(configs)));
    }
    steps -= steps % Gemv.LANES;
    int whole = product.k() / steps;
    int stack = product.canHaveParts() ? Math.clamp(MAX_SUMS / Math.max(1, size), 1, whole) : 1;
    ImmutableList.Builder<GemmProblem> parts = ImmutableList.builder();
    for (int part = 0; part < whole; part += stack) {
      int count = Math.min(stack, whole - part);
      int from = part * steps;
      parts.add(count == 1 ? product.k(from, from + steps) : product.parts(from, count, steps));
    }
    if (whole * steps < product.k()) {
      parts.add(product.k(whole * steps, product.k()));
    }
    return new Int8ViaF32Gemm(
        size,
        stack,
        whole,
        parts.build().stream()
            .map(part -> factory.apply(List.of(first.withProduct(part))))
            .collect(ImmutableList.toImmutableList()));
  }

  @Override
  public boolean isReady() {
    return GemmAlgorithm.areReady(algorithms);
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    int room = stack * size;
    AlignedBuffer buffer = SharedWorkspace.borrow(context, AccumulatorType.F32, room);
    float[] sums = (float[]) buffer.array();
    for (int i = 0; i < algorithms.size(); i++) {
      algorithms.get(i).run(a, b, sums, context, Epilogue.NONE);
      int count = Math.clamp(parts - i * stack, 1, stack);
      boolean isLast = i == algorithms.size() - 1;
      add(sums, count, (int[]) c, i == 0, context, isLast ? epilogue : Epilogue.NONE);
    }
    SharedWorkspace.release(context, AccumulatorType.F32, room, buffer);
  }

  @Override
  public boolean widensLeft() {
    return algorithms.stream().allMatch(GemmAlgorithm::widensLeft);
  }

  @Override
  public boolean widensRight() {
    return algorithms.stream().allMatch(GemmAlgorithm::widensRight);
  }

  /** Adds the sums of some parts, which are stored one after another, to the result. */
  private void add(
      float[] sums, int count, int[] c, boolean isFirst, KernelContext context, Epilogue epilogue) {
    new Parallel(context, size / columns(), Math.max(1, Machine.COPY_GRAIN / columns() / count))
        .run((i0, i1) -> {
          for (int part = 0; part < count; part++) {
            boolean stores = isFirst && part == 0;
            add(sums, part * size, c, stores, i0 * columns(), i1 * columns());
          }
          epilogue.run(i0, i1, 0, columns());
        });
  }

  private static void add(float[] sums, int start, int[] c, boolean stores, int from, int to) {
    for (int i = from; i < to; i++) {
      c[i] = (int) sums[start + i] + (stores ? 0 : c[i]);
    }
  }

  @Override
  public boolean hasContiguousRows() {
    return algorithms.get(0).hasContiguousRows();
  }

  @Override
  public int columns() {
    return algorithms.get(0).columns();
  }

  @Override
  public String toString() {
    return "integers by "
        + algorithms.get(0)
        + (parts == 1 && algorithms.size() == 1 ? "" : ", in parts of the steps");
  }
}
