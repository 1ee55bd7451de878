package org.hlo4j.builder.lib;

import static org.hlo4j.builder.lib.common.Checks.require;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.op.Window;

/** Sizes and padding of the gradient of a convolution, one spatial dimension at a time. */
public final class ConvGradSize {
  private ConvGradSize() {}

  /** How a convolution pads its input. */
  public enum Padding {
    /** As many places as fit wholly. */
    VALID,
    /** As many places as there are strides in the input. */
    SAME
  }

  /**
   * What the gradient of the result becomes before it is convolved back.
   *
   * @param outputSize its size with strides - 1 zeros between its elements
   * @param padBefore the padding before it; what is cut off if negative
   * @param padAfter the padding behind it; what is cut off if negative
   */
  public record SpatialDimensionOutputSizeAndPadding(
      long outputSize, long padBefore, long padAfter) {}

  /**
   * Checks the sizes of a convolution in one dimension, and tells how its result's gradient is to
   * be padded so that convolving it with the filter turned round gives the input's gradient.
   *
   * @param inputSize the size of the input
   * @param filterSize the size of the filter
   * @param outputSize the size of the result
   * @param dilation how far apart the elements of the filter are
   * @param stride how far apart its places are
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
    require(padding != null, "", "convGrad: padding got null, want one");
    require(inputSize >= 0, "", "convGrad: input size got %s, want 0 at least", inputSize);
    Window plain = Window.of(filterSize).withStrides(stride).withWindowDilation(dilation);
    Window window =
        switch (padding) {
          case VALID -> plain;
          case SAME -> plain.withSamePadding(Dims.of(inputSize));
        };
    long places = window.outputSize(0, inputSize);
    require(
        places == outputSize,
        "",
        "convGrad: output size got %s, want %s: input size %s, filter size %s, dilation %s,"
            + " stride %s, padding %s",
        outputSize,
        places,
        inputSize,
        filterSize,
        dilation,
        stride,
        padding);
    long reach = (filterSize - 1) * dilation;
    long spread = (places - 1) * stride + 1;
    long before = reach - window.paddingLow().get(0);
    // The gradient has inputSize places: spread + before + after = inputSize + reach.
    return new SpatialDimensionOutputSizeAndPadding(
        spread, before, inputSize + reach - spread - before);
  }
}
