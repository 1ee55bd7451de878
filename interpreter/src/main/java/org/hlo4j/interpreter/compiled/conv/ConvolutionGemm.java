package org.hlo4j.interpreter.compiled.conv;

import com.google.common.collect.ImmutableList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.compiled.gemm.DimensionOffsets;
import org.hlo4j.interpreter.compiled.gemm.GemmConfig;
import org.hlo4j.interpreter.compiled.gemm.GemmProblem;
import org.hlo4j.interpreter.compiled.gemm.ImageBorder;
import org.hlo4j.interpreter.compiled.gemm.KBlocks;

/**
 * The lowering of a convolution to matrix products, one for each group. The rows are the window
 * positions in all images, the columns are the features of the result, and the steps are the
 * elements that the window covers. If the image is dilated, there is a product for each {@link
 * ConvolutionPhase}, so that the zeros between its elements are not multiplied.
 */
final class ConvolutionGemm {
  /** The maximum size of a padded image, unless the image itself is not much smaller. */
  private static final double MAX_PADDED = 1 << 27;

  private static final double MAX_ARRAY = LiteralBuilder.MAX_COMPONENTS - 1024;
  private static final int FEW_FEATURES = 8;
  private static final int MIN_GROUPS = 16;

  private final Convolution op;
  private final Window window;
  private final ConvolutionDimensionNumbers numbers;
  private final Dims kernel;
  private final Dims result;
  private final boolean isDepthwise;
  private final ConvolutionPhases phases;
  private final ImagePadding kernelPadding;
  private final boolean isBorderSkipped;
  private final ImagePadding padding;
  private final long imageStride;
  private final long featureStride;
  private final Dims spatialSizes;
  private final Dims spatialStrides;
  private final Dims spatialLow;
  private final Dims kernelStrides;
  private final Dims resultStrides;

  ConvolutionGemm(Convolution op, Dims image, Dims kernel, Dims result) {
    this.op = op;
    this.window = op.window();
    this.numbers = op.dimLabels();
    this.result = result;
    this.resultStrides = result.rowMajorStrides();
    this.isDepthwise = isDepthwise(kernel);
    this.phases = ConvolutionPhases.of(op, image, kernel, result, columns(), !isDepthwise);
    Dims kernelOrder = isDepthwise ? outputFeatureLast(kernel) : Dims.range(0, kernel.count());
    Dims inverseKernelOrder = inverse(kernelOrder);
    this.kernelPadding = phases.kernel(kernelOrder);
    this.kernel = kernelPadding.padded().at(inverseKernelOrder);
    this.kernelStrides = kernelPadding.padded().rowMajorStrides().at(inverseKernelOrder);
    Dims order = isTransposed() ? Dims.range(0, image.count()) : laneLastOrder();
    this.isBorderSkipped =
        isDepthwise
            && !phases.insertsZeros()
            && kernel.without(Dims.of(numbers.kernelOutputFeatureDimension())).product()
                <= KBlocks.MAX;
    this.padding = phases.image(order, !isBorderSkipped);
    Dims strides = padding.padded().rowMajorStrides().at(inverse(order));
    this.imageStride = strides.get(numbers.inputBatchDimension());
    this.featureStride = strides.get(numbers.inputFeatureDimension());
    Dims spatial = numbers.inputSpatialDimensions();
    this.spatialSizes = image.at(spatial);
    this.spatialStrides = strides.at(spatial);
    this.spatialLow = padding.low().at(inverse(order)).at(spatial);
  }

  private static Dims inverse(Dims order) {
    return Dims.of(IntStream.range(0, order.count()).mapToLong(order::indexOf).toArray());
  }

  /** {@return the number of features of the result in a group} */
  private long columns() {
    return result.get(numbers.outputFeatureDimension())
        / op.featureGroupCount()
        / op.batchGroupCount();
  }

  /**
   * {@return the order of the image dimensions with features last, or with batches last if those
   * are lanes}
   */
  private Dims laneLastOrder() {
    Dims batch = Dims.of(numbers.inputBatchDimension());
    Dims feature = Dims.of(numbers.inputFeatureDimension());
    boolean areBatches = isDepthwise && op.batchGroupCount() > 1;
    return (areBatches ? feature : batch)
        .concat(numbers.inputSpatialDimensions())
        .concat(areBatches ? batch : feature);
  }

  /**
   * {@return the order of the kernel dimensions: unchanged if the features of the result are
   * contiguous, otherwise with these last}
   */
  private Dims outputFeatureLast(Dims kernel) {
    int features = numbers.kernelOutputFeatureDimension();
    return kernel.rowMajorStrides().get(features) == 1
        ? Dims.range(0, kernel.count())
        : Dims.of(numbers.kernelInputFeatureDimension())
            .concat(numbers.kernelSpatialDimensions())
            .concat(Dims.of(features));
  }

  /** {@return the padding of the kernel, which comes before the products} */
  ImagePadding kernelPadding() {
    return kernelPadding;
  }

  /** {@return the padding of the image, which comes before the products} */
  ImagePadding padding() {
    return padding;
  }

  /** {@return the phases, each as a list of one phase for each spatial dimension} */
  List<List<ConvolutionPhase>> phases() {
    return phases.all();
  }

  /** {@return whether the tables of offsets and the padded image have an acceptable size} */
  boolean hasAcceptableSize() {
    return product(padding.padded()) <= Math.max(MAX_PADDED, 2 * product(padding.sizes()))
        && product(padding.padded()) <= MAX_ARRAY
        && canTabulate(result, numbers.outputFeatureDimension())
        && canTabulate(kernel, numbers.kernelOutputFeatureDimension());
  }

  /**
   * {@return whether the window positions or taps, apart from features, need no table of offsets or
   * one that is not too large}
   */
  private static boolean canTabulate(Dims sizes, int feature) {
    Dims others = sizes.without(Dims.of(feature));
    return others.stream().filter(size -> size > 1).count() <= 1
        || product(others) <= DimensionOffsets.MAX_IN_TABLE;
  }

  private static double product(Dims sizes) {
    return sizes.stream().mapToDouble(size -> size).reduce(1, (x, y) -> x * y);
  }

  /**
   * {@return whether the kernel is the left side: there are few features, and window positions are
   * contiguous}
   */
  boolean isTransposed() {
    int features = numbers.outputFeatureDimension();
    return !isDepthwise
        && columns() < FEW_FEATURES
        && (resultStrides.get(features) != 1 || result.get(features) == 1);
  }

  /** {@return what kind of products the convolution consists of} */
  GemmConfig.Kind kind() {
    return isDepthwise
        ? GemmConfig.Kind.DEPTHWISE
        : isTransposed() ? GemmConfig.Kind.KERNEL_TIMES_IMAGE : GemmConfig.Kind.IMAGE_TIMES_KERNEL;
  }

  /**
   * {@return whether the convolution is depthwise: each feature of the result depends on a single
   * feature of the image, the one with the same index}
   */
  boolean isDepthwise() {
    return isDepthwise;
  }

  private boolean isDepthwise(Dims kernel) {
    long groups = Math.max(op.featureGroupCount(), op.batchGroupCount());
    int features = numbers.outputFeatureDimension();
    boolean isAlone =
        op.featureGroupCount() > 1
            ? kernel.get(numbers.kernelInputFeatureDimension()) == 1
            : result.get(numbers.outputBatchDimension()) == 1;
    boolean isContiguous =
        kernel.rowMajorStrides().get(numbers.kernelOutputFeatureDimension()) == 1
            && resultStrides.get(features) == 1;
    return groups > 1
        && result.get(features) == groups
        && isAlone
        && (isContiguous || groups >= MIN_GROUPS);
  }

  /** {@return the product of a depthwise convolution, whose columns are the features} */
  private GemmProblem depthwiseProduct(List<ConvolutionPhase> phase) {
    GemmProblem each = imageTimesKernel(phase, Dims.of(0), Dims.of());
    int features = (int) result.get(numbers.outputFeatureDimension());
    DimensionOffsets side = DimensionOffsets.strided(features, 1);
    long sideC = resultStrides.get(numbers.outputFeatureDimension());
    DimensionOffsets one = DimensionOffsets.strided(1, 0);
    return new GemmProblem(
        one.plus(imageStart(phase)),
        each.rowsA(),
        each.stepsA(),
        one.plus(kernelStart(phase)),
        each.stepsB(),
        side,
        one.plus(resultStart(phase)),
        each.rowsC(),
        DimensionOffsets.strided(features, (int) sideC));
  }

  /** {@return the border of the product of a phase; none if the image is padded} */
  ImageBorder border(List<ConvolutionPhase> phase) {
    if (!isBorderSkipped || phase.stream().anyMatch(ConvolutionPhase::isEmpty)) {
      return ImageBorder.NONE;
    }
    Dims order = descending(rowStridesC(phase, Dims.of(0)));
    Dims counts = rowCounts(phase, Dims.of(0)).at(order);
    ImmutableList<ImageBorder.Axis> axes =
        descending(stepStridesA(phase)).stream()
            .mapToObj(at -> axis(phase, (int) at, order, counts))
            .collect(ImmutableList.toImmutableList());
    return new ImageBorder((int) counts.get(counts.count() - 1), axes);
  }

  /** {@return a spatial axis, or after those the one of the features of the kernel} */
  private ImageBorder.Axis axis(List<ConvolutionPhase> phase, int at, Dims order, Dims counts) {
    if (at == phase.size()) {
      int features = (int) kernel.get(numbers.kernelInputFeatureDimension());
      return new ImageBorder.Axis(features, 0, 0, 1, features, 1, 1);
    }
    ConvolutionPhase each = phase.get(at);
    int row = order.indexOf(at + 1);
    return new ImageBorder.Axis(
        (int) each.tapCount(),
        (int) each.start(),
        (int) each.stride(),
        (int) each.dilation(),
        (int) spatialSizes.get(at),
        (int) counts.subList(row + 1, counts.count()).product(),
        (int) each.positionCount());
  }

  /**
   * {@return the product of a phase: image times kernel, or kernel times image, so that the result
   * is stored by rows}
   */
  GemmProblem product(List<ConvolutionPhase> phase) {
    if (isDepthwise()) {
      return depthwiseProduct(phase);
    }
    return isTransposed()
        ? imageTimesKernel(phase, Dims.of(), Dims.of(0)).transposed()
        : imageTimesKernel(phase, Dims.of(0), Dims.of());
  }

  /**
   * {@return the product of image and kernel} Its batches are the groups, and the images if {@code
   * batchImages} selects them; the images are rows if {@code rowImages} selects them.
   */
  private GemmProblem imageTimesKernel(
      List<ConvolutionPhase> phase, Dims rowImages, Dims batchImages) {
    long groups = op.featureGroupCount() * op.batchGroupCount();
    long outputs = result.get(numbers.outputFeatureDimension()) / groups;
    long images = result.get(numbers.outputBatchDimension());
    long inputs = kernel.get(numbers.kernelInputFeatureDimension());
    long groupA = op.batchGroupCount() > 1 ? images * imageStride : inputs * featureStride;
    long outputB = kernelStrides.get(numbers.kernelOutputFeatureDimension());
    long featureC = resultStrides.get(numbers.outputFeatureDimension());
    long imageC = resultStrides.get(numbers.outputBatchDimension());
    Dims batches = Dims.of(groups).concat(Dims.of(images).at(batchImages));
    Dims spatialC = resultStrides.at(numbers.outputSpatialDimensions());
    Dims rows = rowCounts(phase, rowImages);
    Dims rowsA =
        Dims.of(imageStride)
            .at(rowImages)
            .concat(spatialStrides.times(ConvolutionPhases.each(phase, ConvolutionPhase::stride)));
    Dims rowsC = rowStridesC(phase, rowImages);
    Dims combined = ConvolutionPhases.each(phase, each -> each.combined().positionCount());
    Dims tapShifts = ConvolutionPhases.each(phase, each -> -each.combined().tapShift());
    Dims columns = combined.concat(Dims.of(outputs));
    Dims columnsB = spatialKernel().times(tapShifts).concat(Dims.of(outputB));
    Dims columnsC = spatialC.concat(Dims.of(featureC));
    Dims side = descending(columnsC);
    Dims order = descending(rowsC);
    Dims steps = ConvolutionPhases.each(phase, ConvolutionPhase::tapCount).concat(Dims.of(inputs));
    Dims stepsA = stepStridesA(phase);
    Dims stepsB =
        spatialKernel()
            .times(ConvolutionPhases.each(phase, ConvolutionPhase::tapStride))
            .concat(Dims.of(kernelStrides.get(numbers.kernelInputFeatureDimension())));
    Dims stepOrder = descending(stepsA);
    return new GemmProblem(
        DimensionOffsets.of(batches, Dims.of(groupA).concat(Dims.of(imageStride).at(batchImages)))
            .plus(imageStart(phase)),
        DimensionOffsets.of(rows.at(order), rowsA.at(order)),
        DimensionOffsets.of(steps.at(stepOrder), stepsA.at(stepOrder)),
        DimensionOffsets.of(batches, Dims.of(outputs * outputB).concat(Dims.of(0).at(batchImages)))
            .plus(kernelStart(phase)),
        DimensionOffsets.of(steps.at(stepOrder), stepsB.at(stepOrder)),
        DimensionOffsets.of(columns.at(side), columnsB.at(side)),
        DimensionOffsets.of(
                batches, Dims.of(outputs * featureC).concat(Dims.of(imageC).at(batchImages)))
            .plus(resultStart(phase)),
        DimensionOffsets.of(rows.at(order), rowsC.at(order)),
        DimensionOffsets.of(columns.at(side), columnsC.at(side)));
  }

  private Dims rowCounts(List<ConvolutionPhase> phase, Dims rowImages) {
    return Dims.of(result.get(numbers.outputBatchDimension()))
        .at(rowImages)
        .concat(ConvolutionPhases.each(phase, ConvolutionPhase::positionCount));
  }

  private Dims rowStridesC(List<ConvolutionPhase> phase, Dims rowImages) {
    Dims strides = resultStrides.at(numbers.outputSpatialDimensions());
    return Dims.of(resultStrides.get(numbers.outputBatchDimension()))
        .at(rowImages)
        .concat(strides.times(ConvolutionPhases.each(phase, ConvolutionPhase::positionStride)));
  }

  private Dims stepStridesA(List<ConvolutionPhase> phase) {
    return spatialStrides
        .times(ConvolutionPhases.each(phase, ConvolutionPhase::dilation))
        .concat(Dims.of(featureStride));
  }

  /** {@return the strides of the spatial kernel dimensions, negative in reversed ones} */
  private Dims spatialKernel() {
    Dims strides = kernelStrides.at(numbers.kernelSpatialDimensions());
    for (int i = 0; i < strides.count(); i++) {
      strides = window.reversal().get(i) ? strides.with(i, -strides.get(i)) : strides;
    }
    return strides;
  }

  /** {@return the offset in the image of the first tap at the first window position} */
  private int imageStart(List<ConvolutionPhase> phase) {
    return start(
        spatialStrides, ConvolutionPhases.each(phase, ConvolutionPhase::start).plus(spatialLow));
  }

  private int kernelStart(List<ConvolutionPhase> phase) {
    long reversed = 0;
    for (int i = 0; i < window.rank(); i++) {
      int dimension = numbers.kernelSpatialDimensions().getInt(i);
      if (window.reversal().get(i)) {
        reversed += Math.max(0, kernel.get(dimension) - 1) * kernelStrides.get(dimension);
      }
    }
    return (int) reversed
        + start(spatialKernel(), ConvolutionPhases.each(phase, ConvolutionPhase::firstTap));
  }

  private int resultStart(List<ConvolutionPhase> phase) {
    Dims strides = resultStrides.at(numbers.outputSpatialDimensions());
    return start(strides, ConvolutionPhases.each(phase, ConvolutionPhase::firstPosition));
  }

  private static int start(Dims strides, Dims indices) {
    return (int) strides.times(indices).stream().sum();
  }

  /** {@return the order of the dimensions from large strides to small ones} */
  private static Dims descending(Dims strides) {
    return Dims.of(
        IntStream.range(0, strides.count())
            .boxed()
            .sorted(Comparator.comparing(i -> -strides.get(i)))
            .mapToLong(i -> i)
            .toArray());
  }
}
