package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.function.Function;
import org.hlo4j.hlo.ElementType;

/**
 * A product of narrow integers, computed in f32. As long as no sum exceeds 2^24, f32 represents it
 * exactly, and multiplies and adds several times as fast as integer arithmetic. The contracting
 * dimension is cut into parts that are short enough, whose sums are then added as integers. As many
 * parts as there is room for are the batches of one product.
 */
final class Int8ViaF32Gemm {
  private static final double MAX_EXACT_SUM = 0x1p24;

  /** With fewer sums, a product in integers is as fast as parts of it in f32. */
  private static final int MIN_SUMS_OF_PARTS = 1 << 12;

  /** The maximum number of sums of parts that are computed by one product. */
  private static final int MAX_SUMS = 1 << 18;

  private Int8ViaF32Gemm() {}

  /** {@return whether to multiply integers of these types in f32} */
  static boolean fits(
      AccumulatorType type, ElementType lhs, ElementType rhs, List<GemmConfig> configs) {
    List<GemmProblem> products = configs.stream().map(GemmConfig::product).toList();
    return type == AccumulatorType.I32
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
   * Returns the algorithm for products that {@link #fits fit}.
   *
   * @param configs one product, or several that together fill the result, in f32
   * @param factory creates the algorithm that computes products in f32
   */
  static GemmAlgorithm of(
      ElementType lhs,
      ElementType rhs,
      List<GemmConfig> configs,
      Function<List<GemmConfig>, GemmAlgorithm> factory) {
    GemmConfig first = configs.get(0);
    int size = GemmProblem.resultElements(configs.stream().map(GemmConfig::product).toList());
    GemmProblem product = first.product();
    int most = maxExactSteps(lhs, rhs);
    if (configs.size() > 1 || product.k() <= most) {
      return sum(ImmutableList.of(factory.apply(configs)), size, 1, 1);
    }
    int steps = most - most % Gemv.LANES;
    int whole = product.k() / steps;
    int stack = product.canHaveParts() ? Math.clamp(MAX_SUMS / Math.max(1, size), 1, whole) : 1;
    ImmutableList.Builder<GemmAlgorithm> algorithms = ImmutableList.builder();
    for (int from = 0, count; from < product.k(); from += count * steps) {
      count = Math.clamp((product.k() - from) / steps, 1, stack);
      GemmProblem parts = product.parts(from, count, Math.min(steps, product.k() - from));
      algorithms.add(factory.apply(List.of(first.withProduct(parts))));
    }
    return sum(algorithms.build(), size, stack, whole);
  }

  private static GemmAlgorithm sum(
      ImmutableList<GemmAlgorithm> algorithms, int size, int stack, int parts) {
    String cut = parts == 1 && algorithms.size() == 1 ? "" : ", in parts of the steps";
    String text = "integers by " + algorithms.get(0) + cut;
    return new SplitKGemm(text, algorithms, AccumulatorType.F32, size, stack, parts);
  }
}
