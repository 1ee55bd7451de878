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
import org.hlo4j.interpreter.compiled.gemm.DotKernels;

/**
 * The phases of a convolution. They depend on what is done with the zeros between the elements of a
 * dilated image. If the image is not dilated, there is one phase.
 */
final class ConvolutionPhases {
  private static final int MAX_PHASES = 64;
  private static final double LITTLE_SAVED = 1 << 15;
  private static final int VECTOR = 16;

  private enum Zeros {
    /** The zeros are inserted into the image and multiplied. */
    FILLED_IN,
    /** The zeros are omitted; each phase is a product. */
    LEFT_OUT,
    /**
     * The zeros between elements are omitted; all phases are one product, of a kernel padded with
     * zeros.
     */
    AROUND_KERNEL
  }

  private final Window window;
  private final ConvolutionDimensionNumbers numbers;
  private final Dims image;
  private final Dims kernel;
  private final Zeros zeros;
  private final ImmutableList<ImmutableList<ConvolutionPhase>> along;

  private ConvolutionPhases(Convolution op, Dims image, Dims kernel, Dims result, Zeros zeros) {
    this.window = op.window();
    this.numbers = op.dimLabels();
    this.image = image;
    this.kernel = kernel;
    this.zeros = zeros;
    Dims taps = kernel.at(numbers.kernelSpatialDimensions());
    Dims places = result.at(numbers.outputSpatialDimensions());
    this.along =
        IntStream.range(0, window.rank())
            .mapToObj(i -> along(i, taps.get(i), places.get(i)))
            .collect(ImmutableList.toImmutableList());
  }

  private ImmutableList<ConvolutionPhase> along(int dimension, long taps, long places) {
    long base = base(dimension);
    return zeros == Zeros.AROUND_KERNEL
        ? ImmutableList.of(ConvolutionPhase.beside(window, dimension, base, taps, places))
        : ConvolutionPhase.along(window, dimension, base, taps, places);
  }

  /** {@return the distance at which elements of the image are taken to be} */
  private long base(int dimension) {
    return zeros == Zeros.FILLED_IN ? 1 : window.baseDilation().get(dimension);
  }

  /**
   * Returns the phases that are the least work. If that saves little, the zeros are inserted into
   * the image.
   *
   * @param columns the number of features of the result in a group
   * @param mayBeBeside whether phases may be combined
   */
  static ConvolutionPhases of(
      Convolution op, Dims image, Dims kernel, Dims result, long columns, boolean mayBeBeside) {
    ConvolutionPhases filled = new ConvolutionPhases(op, image, kernel, result, Zeros.FILLED_IN);
    if (!filled.isDilated(result)) {
      return filled;
    }
    ConvolutionPhases apart = new ConvolutionPhases(op, image, kernel, result, Zeros.LEFT_OUT);
    double each =
        (double) result.get(op.dimLabels().outputBatchDimension())
            * result.get(op.dimLabels().outputFeatureDimension())
            * kernel.get(op.dimLabels().kernelInputFeatureDimension());
    if (each * (filled.steps() - apart.steps()) < LITTLE_SAVED) {
      return filled;
    }
    if (apart.all().size() == 1 || !mayBeBeside || !apart.canBeBeside(result)) {
      return apart;
    }
    ConvolutionPhases beside =
        new ConvolutionPhases(op, image, kernel, result, Zeros.AROUND_KERNEL);
    return beside.cost(columns) < apart.cost(columns) ? beside : apart;
  }

  /** {@return whether the image is dilated and the number of phases acceptable} */
  private boolean isDilated(Dims result) {
    Dims places = result.at(numbers.outputSpatialDimensions());
    double count = 1;
    for (int i = 0; i < window.rank(); i++) {
      count *= ConvolutionPhase.count(window, i, window.baseDilation().get(i), places.get(i));
    }
    return window.baseDilation().stream().anyMatch(apart -> apart > 1) && count <= MAX_PHASES;
  }

  private boolean canBeBeside(Dims result) {
    Dims places = result.at(numbers.outputSpatialDimensions());
    return IntStream.range(0, window.rank())
        .allMatch(i -> ConvolutionPhase.canBeBeside(window, i, base(i), places.get(i)));
  }

  /**
   * {@return the number of window positions times the number of taps that they meet, over all
   * phases}
   */
  private double steps() {
    return all().stream()
        .mapToDouble(phase ->
            (double) each(phase, ConvolutionPhase::places).product()
                * each(phase, ConvolutionPhase::taps).product())
        .sum();
  }

  /** {@return the steps times the number of vectors that the columns fill} */
  private double cost(long columns) {
    long beside = each(all().get(0), each -> each.beside().places()).product();
    return steps() * Math.ceilDiv(columns * beside, VECTOR);
  }

  /** {@return the phases, each as a list of one phase for each spatial dimension} */
  List<List<ConvolutionPhase>> all() {
    return Lists.cartesianProduct(along);
  }

  /** {@return a property of a phase along each spatial dimension} */
  static Dims each(List<ConvolutionPhase> phase, ToLongFunction<ConvolutionPhase> size) {
    return Dims.of(phase.stream().mapToLong(size).toArray());
  }

  /**
   * {@return the padding of the image that provides the zeros that phases need, with the dimensions
   * in the given order}
   */
  ImagePadding image(Dims order) {
    Dims low = Dims.filled(image.count(), 0);
    Dims dilation = Dims.filled(image.count(), 1);
    Dims padded = image;
    boolean isCopied = !order.equals(Dims.range(0, image.count()));
    for (int i = 0; i < window.rank(); i++) {
      int at = numbers.inputSpatialDimensions().getInt(i);
      long apart = window.baseDilation().get(i) / base(i);
      List<ConvolutionPhase> met = along.get(i).stream().filter(phase -> !phase.isEmpty()).toList();
      long before = met.stream().mapToLong(phase -> -phase.start()).max().orElse(0);
      long end = met.stream().mapToLong(ConvolutionPhase::end).max().orElse(0);
      isCopied |= apart > 1 || before > 0 || end > image.get(at);
      low = low.with(at, before);
      dilation = dilation.with(at, apart);
      padded = padded.with(at, before + end);
    }
    Dims strides = DotKernels.strides(image);
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
      ConvolutionPhase.CombinedPositions beside = along.get(i).get(0).beside();
      low = low.with(at, window.reversal().get(i) ? beside.behind() : beside.before());
      padded = padded.with(at, beside.before() + kernel.get(at) + beside.behind());
    }
    return new ImagePadding(
        kernel.at(order),
        DotKernels.strides(kernel).at(order),
        low.at(order),
        ones,
        padded.at(order));
  }
}
