package org.hlo4j.builder.lib;

import static org.hlo4j.builder.lib.common.Checks.require;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.op.Window;

/** The sizes and padding of the gradient of a convolution, for one spatial dimension. */
public final class ConvGradSize {
  private ConvGradSize() {}

  /** How a convolution pads its input. */
  public enum Padding {
    /** No padding: only the window positions that lie entirely within the input. */
    VALID,
    /** SAME padding: input size / stride window positions, rounded up. */
    SAME
  }

  /**
   * The dilated size and the padding of the result's gradient before it is convolved with the
   * reversed filter.
   *
   * @param outputSize its size with strides - 1 zeros between its elements
   * @param padBefore the padding before it; elements are removed if negative
   * @param padAfter the padding after it; elements are removed if negative
   */
  public record SpatialDimensionOutputSizeAndPadding(
      long outputSize, long padBefore, long padAfter) {}

  /**
   * Checks the sizes of a convolution in one dimension, and returns how the gradient of its result
   * must be padded so that its convolution with the reversed filter gives the gradient of the
   * input.
   *
   * @param inputSize the size of the input
   * @param filterSize the size of the filter
   * @param outputSize the size of the result
   * @param dilation the distance between the elements of the filter
   * @param stride the distance between the positions of the filter
   * @param padding how the input is padded
   * @return size and padding
   * @throws HloException if a number is out of range, or the result is of another size
   */
  public static SpatialDimensionOutputSizeAndPadding convGradExtractAndVerifyDimension(
      long inputSize,
      long filterSize,
      long outputSize,
      long dilation,
      long stride,
      Padding padding) {
    require(padding != null, "", "convGrad: padding is null");
    require(inputSize >= 0, "", "convGrad: input size got %s, want at least 0", inputSize);
    Window plain = Window.of(filterSize).withStrides(stride).withWindowDilation(dilation);
    Window window =
        switch (padding) {
          case VALID -> plain;
          case SAME -> plain.withSamePadding(Dims.of(inputSize));
        };
    long positions = window.outputSize(0, inputSize);
    require(
        positions == outputSize,
        "",
        "convGrad: output size got %s, want %s: input size %s, filter size %s, dilation %s,"
            + " stride %s, padding %s",
        outputSize,
        positions,
        inputSize,
        filterSize,
        dilation,
        stride,
        padding);
    long reach = (filterSize - 1) * dilation;
    long spread = (positions - 1) * stride + 1;
    long before = reach - window.paddingLow().get(0);
    // The gradient has inputSize positions: spread + before + after = inputSize + reach.
    return new SpatialDimensionOutputSizeAndPadding(
        spread, before, inputSize + reach - spread - before);
  }
}
