package org.hlo4j.interpreter.compiled.conv;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Window;

/**
 * The phases of a convolution. They depend on what is done with the zeros between the elements of a
 * dilated image. If the image is not dilated, there is one phase.
 */
final class ConvolutionPhases {
  private static final int MAX_PHASES = 64;
  private static final double MIN_SAVED_STEPS = 1 << 15;
  private static final int VECTOR_LANES = 16;

  private enum ZeroHandling {
    /** The zeros are inserted into the image and multiplied. */
    MATERIALIZED,
    /** The zeros are omitted; each phase is a product. */
    SKIPPED,
    /**
     * The zeros between elements are omitted; all phases are one product, of a kernel padded with
     * zeros.
     */
    PADDED_KERNEL
  }

  private final Window window;
  private final ConvolutionDimensionNumbers numbers;
  private final Dims image;
  private final Dims kernel;
  private final ZeroHandling zeros;
  private final ImmutableList<ImmutableList<ConvolutionPhase>> phasesByDimension;

  private ConvolutionPhases(
      Convolution op, Dims image, Dims kernel, Dims result, ZeroHandling zeros) {
    this.window = op.window();
    this.numbers = op.dimLabels();
    this.image = image;
    this.kernel = kernel;
    this.zeros = zeros;
    Dims kernelSize = kernel.at(numbers.kernelSpatialDimensions());
    Dims resultSize = result.at(numbers.outputSpatialDimensions());
    this.phasesByDimension =
        IntStream.range(0, window.rank())
            .mapToObj(i -> phases(i, kernelSize.get(i), resultSize.get(i)))
            .collect(ImmutableList.toImmutableList());
  }

  private ImmutableList<ConvolutionPhase> phases(int dimension, long kernelSize, long resultSize) {
    long base = base(dimension);
    return zeros == ZeroHandling.PADDED_KERNEL
        ? ImmutableList.of(
            ConvolutionPhase.combined(window, dimension, base, kernelSize, resultSize))
        : ConvolutionPhase.phases(window, dimension, base, kernelSize, resultSize);
  }

  /** {@return the distance at which elements of the image are taken to be} */
  private long base(int dimension) {
    return zeros == ZeroHandling.MATERIALIZED ? 1 : window.baseDilation().get(dimension);
  }

  /**
   * Returns the phases that are the least work. If that saves little, the zeros are inserted into
   * the image.
   *
   * @param columns the number of features of the result in a group
   * @param mayCombine whether phases may be combined
   */
  static ConvolutionPhases of(
      Convolution op, Dims image, Dims kernel, Dims result, long columns, boolean mayCombine) {
    ConvolutionPhases materialized =
        new ConvolutionPhases(op, image, kernel, result, ZeroHandling.MATERIALIZED);
    if (!materialized.isDilated(result)) {
      return materialized;
    }
    ConvolutionPhases apart =
        new ConvolutionPhases(op, image, kernel, result, ZeroHandling.SKIPPED);
    double each =
        (double) result.get(op.dimLabels().outputBatchDimension())
            * result.get(op.dimLabels().outputFeatureDimension())
            * kernel.get(op.dimLabels().kernelInputFeatureDimension());
    if (each * (materialized.steps() - apart.steps()) < MIN_SAVED_STEPS) {
      return materialized;
    }
    if (apart.all().size() == 1 || !mayCombine || !apart.canCombine(result)) {
      return apart;
    }
    ConvolutionPhases combined =
        new ConvolutionPhases(op, image, kernel, result, ZeroHandling.PADDED_KERNEL);
    return combined.cost(columns) < apart.cost(columns) ? combined : apart;
  }

  /** {@return whether the image is dilated and the number of phases acceptable} */
  private boolean isDilated(Dims result) {
    Dims resultSize = result.at(numbers.outputSpatialDimensions());
    double count = 1;
    for (int i = 0; i < window.rank(); i++) {
      count *= ConvolutionPhase.count(window, i, window.baseDilation().get(i), resultSize.get(i));
    }
    return window.baseDilation().stream().anyMatch(apart -> apart > 1) && count <= MAX_PHASES;
  }

  private boolean canCombine(Dims result) {
    Dims resultSize = result.at(numbers.outputSpatialDimensions());
    return IntStream.range(0, window.rank())
        .allMatch(i -> ConvolutionPhase.canCombine(window, i, base(i), resultSize.get(i)));
  }

  /**
   * {@return the number of window positions times the number of taps that they meet, over all
   * phases}
   */
  private double steps() {
    return all().stream()
        .mapToDouble(phase ->
            product(each(phase, ConvolutionPhase::positionCount))
                * product(each(phase, ConvolutionPhase::tapCount)))
        .sum();
  }

  private static double product(Dims counts) {
    return counts.stream().mapToDouble(count -> count).reduce(1, (a, b) -> a * b);
  }

  /** {@return the steps times the number of vectors that the columns fill} */
  private double cost(long columns) {
    long combined = each(all().get(0), each -> each.combined().positionCount()).product();
    return steps() * Math.ceilDiv(columns * combined, VECTOR_LANES);
  }

  /** {@return the phases, each as a list of one phase for each spatial dimension} */
  List<List<ConvolutionPhase>> all() {
    return Lists.cartesianProduct(phasesByDimension);
  }

  /** {@return a property of a phase along each spatial dimension} */
  static Dims each(List<ConvolutionPhase> phase, ToLongFunction<ConvolutionPhase> size) {
    return Dims.of(phase.stream().mapToLong(size).toArray());
  }

  /** {@return whether zeros are inserted between the elements of the image} */
  boolean insertsZeros() {
    return zeros == ZeroHandling.MATERIALIZED
        && window.baseDilation().stream().anyMatch(apart -> apart > 1);
  }

  /**
   * {@return the padding of the image that provides the zeros that phases need, with the dimensions
   * in the given order}
   *
   * @param hasBorder whether zeros around the image are needed
   */
  ImagePadding image(Dims order, boolean hasBorder) {
    Dims low = Dims.filled(image.count(), 0);
    Dims dilation = Dims.filled(image.count(), 1);
    Dims padded = image;
    boolean isCopied = !order.equals(Dims.range(0, image.count()));
    for (int i = 0; i < window.rank() && hasBorder; i++) {
      int at = numbers.inputSpatialDimensions().getInt(i);
      long apart = window.baseDilation().get(i) / base(i);
      List<ConvolutionPhase> nonEmpty =
          phasesByDimension.get(i).stream().filter(phase -> !phase.isEmpty()).toList();
      long before = nonEmpty.stream().mapToLong(phase -> -phase.start()).max().orElse(0);
      long end = nonEmpty.stream().mapToLong(ConvolutionPhase::end).max().orElse(0);
      isCopied |= apart > 1 || before > 0 || end > image.get(at);
      low = low.with(at, before);
      dilation = dilation.with(at, apart);
      padded = padded.with(at, before + end);
    }
    Dims strides = image.rowMajorStrides();
    return isCopied
        ? new ImagePadding(
            image.at(order), strides.at(order), low.at(order), dilation.at(order), padded.at(order))
        : ImagePadding.none(image);
  }

  /**
   * {@return the padding of the kernel: with zeros around it if positions are combined, and with
   * the dimensions in the given order}
   */
  ImagePadding kernel(Dims order) {
    Dims low = Dims.filled(kernel.count(), 0);
    Dims ones = Dims.filled(kernel.count(), 1);
    Dims padded = kernel;
    for (int i = 0; i < window.rank(); i++) {
      int at = numbers.kernelSpatialDimensions().getInt(i);
      ConvolutionPhase.CombinedPositions combined = phasesByDimension.get(i).get(0).combined();
      low = low.with(at, window.reversal().get(i) ? combined.zerosAfter() : combined.zerosBefore());
      padded = padded.with(at, combined.zerosBefore() + kernel.get(at) + combined.zerosAfter());
    }
    return new ImagePadding(
        kernel.at(order),
        kernel.rowMajorStrides().at(order),
        low.at(order),
        ones,
        padded.at(order));
  }
}
