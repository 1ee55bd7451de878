package org.hlo4j.interpreter.compiled.gemm;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A product and what is known of its operands, from which {@link GemmPlanner} makes a plan.
 *
 * @param accumulatorType the type in which to multiply and accumulate
 * @param product the product
 * @param kind what the product is a part of
 * @param left widens the left side, if it has a narrow type; otherwise null
 * @param right widens the right side, if it has a narrow type; otherwise null
 * @param border the taps of a depthwise product that are not in the image
 * @param isRightFixed whether the right side is the same in each run
 * @param ordered the product that decides the order of additions: the product itself, or, of a
 *     convolution, the one of images and kernels that are stored with features last
 */
public record GemmConfig(
    AccumulatorType accumulatorType,
    GemmProblem product,
    Kind kind,
    @Nullable Widenings left,
    @Nullable Widenings right,
    ImageBorder border,
    boolean isRightFixed,
    GemmProblem ordered) {
  /** What a product is a part of. */
  public enum Kind {
    DOT,
    /** Each sum in order of k; there are at most {@link KBlocks#MAX} steps. */
    DOT_IN_ORDER,
    /** Of a convolution; the rows of the left side are the windows of the image. */
    CONVOLUTION,
    /** Of a convolution: {@code c[i, j] = sum over k of a[i, k, j] * b[k, j]}. */
    DEPTHWISE
  }

  static GemmConfig dot(
      AccumulatorType accumulatorType,
      GemmProblem product,
      @Nullable Widenings left,
      @Nullable Widenings right) {
    return new GemmConfig(
        accumulatorType, product, Kind.DOT, left, right, ImageBorder.NONE, false, product);
  }

  /** {@return a product of a convolution, whose border is none unless it is depthwise} */
  public static GemmConfig convolution(
      AccumulatorType accumulatorType,
      GemmProblem product,
      GemmProblem ordered,
      boolean isDepthwise,
      ImageBorder border) {
    Kind kind = isDepthwise ? Kind.DEPTHWISE : Kind.CONVOLUTION;
    return new GemmConfig(accumulatorType, product, kind, null, null, border, false, ordered);
  }

  GemmConfig withFixedRight() {
    return new GemmConfig(accumulatorType, product, kind, left, right, border, true, ordered);
  }

  GemmConfig inOrder() {
    return new GemmConfig(
        accumulatorType, product, Kind.DOT_IN_ORDER, left, right, border, isRightFixed, ordered);
  }

  GemmConfig withProduct(GemmProblem other) {
    return new GemmConfig(accumulatorType, other, kind, left, right, border, isRightFixed, other);
  }

  /** {@return the same product with its sides, and so rows and columns, exchanged} */
  GemmConfig swapped() {
    GemmProblem other = product.transposed();
    return new GemmConfig(accumulatorType, other, kind, right, left, border, false, other);
  }

  /** {@return the parts of the contracting dimension as batches, see {@link GemmProblem#parts}} */
  GemmConfig parts(int count) {
    return dot(accumulatorType, product.parts(0, count, product.k() / count), null, null);
  }

  /** {@return the type and the product in words} */
  @Override
  public String toString() {
    return accumulatorType.toString().toLowerCase(Locale.ROOT) + " " + product;
  }
}
