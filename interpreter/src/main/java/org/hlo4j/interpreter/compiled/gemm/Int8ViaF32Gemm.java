package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * A product of narrow integers, computed in f32. As long as no sum exceeds 2^24, f32 represents it
 * exactly, and multiplies and adds several times as fast as integer arithmetic. The contracting
 * dimension is cut into parts that are short enough, whose sums are then added as integers.
 */
public final class Int8ViaF32Gemm implements GemmAlgorithm {
  private static final double MAX_EXACT_SUM = 0x1p24;

  private final int size;
  private final ImmutableList<GemmAlgorithm> parts;

  private Int8ViaF32Gemm(int size, ImmutableList<GemmAlgorithm> parts) {
    this.size = size;
    this.parts = parts;
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
            || (products.size() == 1 && products.get(0).hasConstantStrides()));
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
    List<GemmProblem> products = configs.stream().map(GemmConfig::product).toList();
    int k = first.product().k();
    int maxSteps = maxExactSteps(lhs, rhs);
    int parts = configs.size() == 1 ? Math.ceilDiv(k, maxSteps) : 1;
    return new Int8ViaF32Gemm(
        GemmProblem.resultElements(products),
        parts == 1
            ? ImmutableList.of(factory.apply(configs))
            : IntStream.range(0, parts)
                .mapToObj(i -> first.product().k(i * maxSteps, Math.min(k, (i + 1) * maxSteps)))
                .map(part -> factory.apply(List.of(first.withProduct(part))))
                .collect(ImmutableList.toImmutableList()));
  }

  @Override
  public boolean isReady() {
    return GemmAlgorithm.areReady(parts);
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    AlignedBuffer buffer = SharedWorkspace.borrow(context, AccumulatorType.F32, size);
    float[] sums = (float[]) buffer.array();
    for (int i = 0; i < parts.size(); i++) {
      parts.get(i).run(a, b, sums, context, Epilogue.NONE);
      boolean first = i == 0;
      add(sums, (int[]) c, first, context, i == parts.size() - 1 ? epilogue : Epilogue.NONE);
    }
    SharedWorkspace.release(context, AccumulatorType.F32, size, buffer);
  }

  @Override
  public boolean widensLeft() {
    return parts.stream().allMatch(GemmAlgorithm::widensLeft);
  }

  @Override
  public boolean widensRight() {
    return parts.stream().allMatch(GemmAlgorithm::widensRight);
  }

  private void add(float[] sums, int[] c, boolean first, KernelContext context, Epilogue epilogue) {
    Parallel.forRange(
        context,
        size / columns(),
        Math.max(1, Machine.COPY_GRAIN / columns()),
        (i0, i1) -> {
          add(sums, c, first, i0 * columns(), i1 * columns());
          epilogue.run(i0, i1, 0, columns());
        });
  }

  private static void add(float[] sums, int[] c, boolean first, int from, int to) {
    for (int i = from; i < to; i++) {
      c[i] = (int) sums[i] + (first ? 0 : c[i]);
    }
  }

  @Override
  public boolean hasContiguousRows() {
    return parts.get(0).hasContiguousRows();
  }

  @Override
  public int columns() {
    return parts.get(0).columns();
  }

  @Override
  public String toString() {
    return "integers by "
        + parts.get(0)
        + (parts.size() == 1 ? "" : ", " + parts.size() + " times");
  }
}
