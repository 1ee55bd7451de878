package org.hlo4j.interpreter.compiled.conv;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.compiled.gemm.AccumulatorType;
import org.hlo4j.interpreter.compiled.gemm.DepthwiseShape;
import org.hlo4j.interpreter.compiled.gemm.DimensionOffsets;
import org.hlo4j.interpreter.compiled.gemm.GemmConfig;
import org.hlo4j.interpreter.compiled.gemm.GemvPlanner;
import org.hlo4j.interpreter.compiled.gemm.KBlocks;

/**
 * The lowering of a convolution to matrix products, one for each group. The rows are the window
 * positions in all images, the columns are the features of the result, and the steps are the
 * elements that the window covers. If the image is dilated, the zeros between its elements are not
 * multiplied: there is a product for each {@link ConvolutionPhase}, or one for all.
 */
final class ConvolutionGemm {
  /** The maximum size of a padded image, unless the image itself is not much smaller. */
  private static final double MAX_PADDED = 1 << 27;

  private static final double MAX_ARRAY = LiteralBuilder.MAX_COMPONENTS - 1024;
  private static final double MAX_PHASES = 1 << 12;
  private static final int FEW_FEATURES = 8;
  private static final int MIN_GROUPS = 4;

  /** The minimum number of contiguous window positions that are lanes. */
  private static final int MIN_ROW = 24;

  static final int VECTOR_LANES = 16;

  /** The strides of an image, a kernel and a result; those of taps are negative if reversed. */
  record Strides(Dims image, Dims kernel, Dims taps, Dims result) {}

  final Convolution op;
  final Window window;
  final ConvolutionDimensionNumbers numbers;
  final Dims result;
  final long groups;

  /** The number of features of the image in a group. */
  final long inputs;

  /** Whether lanes are positions along a row of the image, with its features if they are last. */
  final boolean areLanesPositions;

  /** Whether lanes are features of the image, or its batches, each with a kernel of its own. */
  final boolean areLanesFeatures;

  private final ImmutableList<ImmutableList<ConvolutionPhase>> phases;

  /**
   * The strides of arrays with features last. They decide the order of additions, which is the same
   * however the arrays are stored.
   */
  private final Strides ordered;

  /**
   * Whether each image is a batch, whose features are rows of contiguous positions, read and stored
   * in place.
   */
  private final boolean arePositionsInPlace;

  final PaddedCopy covered;
  final boolean isBorderSkipped;

  /** The copies of the image and of the kernel that the products read. */
  final PaddedCopy image;

  final PaddedCopy kernel;

  /** The strides of the arrays that the products read and write. */
  final Strides strides;

  /** The position in the kernel of the first tap. */
  final int firstTap;

  private ConvolutionGemm(Convolution op, Dims image, Dims kernel, Dims result) {
    this.op = op;
    this.window = op.window();
    this.numbers = op.dimLabels();
    this.result = result;
    this.groups = op.featureGroupCount() * op.batchGroupCount();
    this.inputs = kernel.get(numbers.kernelInputFeatureDimension());
    this.areLanesPositions = areLanesPositions(image);
    this.areLanesFeatures = !areLanesPositions && areLanesFeatures(kernel);
    this.phases =
        ConvolutionPhase.along(
            window, spatialSizes(), columns(), !areLanesFeatures && !areLanesPositions);
    Dims last =
        Dims.of(numbers.outputBatchDimension())
            .concat(numbers.outputSpatialDimensions())
            .concat(Dims.of(numbers.outputFeatureDimension()));
    this.ordered =
        strides(
            coveredImage(image, laneLastOrder()),
            paddedKernel(kernel, outputsLast()),
            result.at(last).rowMajorStrides().at(last.inverse()));
    this.arePositionsInPlace =
        !areLanesFeatures && !areLanesPositions && arePositionsInPlace(image);
    this.covered =
        coveredImage(image, isReordered() ? laneLastOrder() : Dims.range(0, image.count()));
    this.isBorderSkipped = canSkipBorder(kernel);
    this.image = isBorderSkipped ? covered.withoutPadding() : covered;
    this.kernel = paddedKernel(kernel, storedOrder(kernel));
    this.strides = strides(covered, this.kernel, result.rowMajorStrides());
    Dims reach = strides.taps.times(window.sizes().minus(Dims.filled(window.rank(), 1)));
    this.firstTap =
        this.kernel.position(Dims.filled(kernel.count(), 0))
            - (int) reach.stream().filter(steps -> steps < 0).sum();
  }

  private Strides strides(PaddedCopy image, PaddedCopy kernel, Dims result) {
    IntStream signs = IntStream.range(0, window.rank()).map(i -> window.reversal().get(i) ? -1 : 1);
    Dims taps = kernel.strides().at(numbers.kernelSpatialDimensions());
    taps = taps.times(Dims.of(signs.asLongStream().toArray()));
    return new Strides(image.strides(), kernel.strides(), taps, result);
  }

  /**
   * {@return the lowering; empty if there are very many phases, or if the padded image or tables of
   * offsets would be too large}
   */
  static Optional<ConvolutionGemm> of(Convolution op, Dims image, Dims kernel, Dims result) {
    Dims sizes = result.at(op.dimLabels().outputSpatialDimensions());
    double phases = 1;
    for (int i = 0; i < sizes.count(); i++) {
      phases *= ConvolutionPhase.count(op.window(), i, sizes.get(i));
    }
    return phases > MAX_PHASES
        ? Optional.empty()
        : Optional.of(new ConvolutionGemm(op, image, kernel, result))
            .filter(ConvolutionGemm::hasAcceptableSize);
  }

  private boolean hasAcceptableSize() {
    return product(image.padded()) <= Math.max(MAX_PADDED, 2 * product(image.sizes()))
        && product(covered.padded()) <= MAX_ARRAY
        && canTabulate(result, numbers.outputFeatureDimension())
        && canTabulate(kernel.padded(), numbers.kernelOutputFeatureDimension());
  }

  /**
   * {@return whether the window positions or taps, apart from features, need no table of offsets or
   * one that is not too large}
   */
  private static boolean canTabulate(Dims sizes, int feature) {
    Dims others = sizes.without(Dims.of(feature));
    return DimensionOffsets.canTabulate(others, Dims.filled(others.count(), 1));
  }

  private static double product(Dims sizes) {
    return sizes.stream().mapToDouble(size -> size).reduce(1, (x, y) -> x * y);
  }

  /**
   * {@return whether the convolution is depthwise: each feature of the result depends on a single
   * feature of the image, the one with the same index}
   */
  private boolean areLanesFeatures(Dims kernel) {
    boolean isAlone =
        op.featureGroupCount() > 1
            ? kernel.get(numbers.kernelInputFeatureDimension()) == 1
            : result.get(numbers.outputBatchDimension()) == 1;
    boolean isContiguous =
        kernel.rowMajorStrides().get(numbers.kernelOutputFeatureDimension()) == 1
            && hasFeaturesLast();
    return groups > 1
        && result.get(numbers.outputFeatureDimension()) == groups
        && isAlone
        && (isContiguous || groups >= MIN_GROUPS || !addsInOrder());
  }

  /**
   * {@return whether each feature of the result is computed from one feature of the image, row by
   * row: neighbouring positions are contiguous in both, or a few features of them are, and the rows
   * are so many that the kernel may be stored again for each position of one}
   */
  private boolean areLanesPositions(Dims image) {
    int last = window.rank() - 1;
    if (last < 0
        || inputs != 1
        || result.get(numbers.outputFeatureDimension()) != groups
        || op.batchGroupCount() > 1
        || window.strides().get(last) != 1
        || window.baseDilation().get(last) != 1
        || !addsInOrder()) {
      return false;
    }
    Dims sizes = spatialSizes();
    long positions = sizes.get(last);
    long rows = result.get(numbers.outputBatchDimension()) * sizes.product() / positions;
    long taps = window.sizes().product();
    Dims from = image.rowMajorStrides();
    Dims to = result.rowMajorStrides();
    long distance = from.get(numbers.inputSpatialDimensions().getInt(last));
    boolean isInterleaved =
        distance == groups
            && groups < FEW_FEATURES
            && from.get(numbers.inputFeatureDimension()) == 1;
    return to.get(numbers.outputSpatialDimensions().getInt(last)) == distance
        && (distance == 1 || (isInterleaved && hasFeaturesLast()))
        && positions * distance >= (groups < FEW_FEATURES ? VECTOR_LANES : MIN_ROW)
        && taps <= rows
        && (groups > 1 || !isGemvOfRow(taps));
  }

  /** {@return whether lanes are steps for a single feature, as its taps are all along a row} */
  private boolean isGemvOfRow(long taps) {
    return taps >= GemvPlanner.MIN_STEPS_IN_PLACE && taps == window.sizes().get(window.rank() - 1);
  }

  /**
   * {@return whether a product of each group adds in the order of a depthwise one: there is one
   * block of steps, even if phases are combined, which adds zeros}
   */
  private boolean addsInOrder() {
    double steps = 1;
    for (int i = 0; i < window.rank(); i++) {
      steps *= window.sizes().get(i) + window.baseDilation().get(i) * window.strides().get(i) - 1;
    }
    return op.batchGroupCount() == 1 && steps <= KBlocks.MAX;
  }

  /** {@return the number of features of the result in a group} */
  long columns() {
    return result.get(numbers.outputFeatureDimension()) / groups;
  }

  boolean hasFeaturesLast() {
    return result.rowMajorStrides().get(numbers.outputFeatureDimension()) == 1;
  }

  Dims spatialSizes() {
    return result.at(numbers.outputSpatialDimensions());
  }

  // ---- copies

  /** {@return the image with all elements that windows cover, unless it has them anyway} */
  private PaddedCopy coveredImage(Dims sizes, Dims order) {
    Dims low = Dims.filled(sizes.count(), 0);
    Dims padded = sizes;
    boolean isCopied = false;
    for (int i = 0; i < window.rank(); i++) {
      int at = numbers.inputSpatialDimensions().getInt(i);
      List<ConvolutionPhase> read = phases.get(i).stream().filter(each -> !each.isEmpty()).toList();
      long before = read.stream().mapToLong(each -> -each.start()).max().orElse(0);
      long end = read.stream().mapToLong(ConvolutionPhase::end).max().orElse(0);
      isCopied |= before > 0 || end > sizes.get(at);
      low = low.with(at, before);
      padded = padded.with(at, before + end);
    }
    PaddedCopy copy = new PaddedCopy(sizes, order, low, padded);
    return isCopied ? copy : copy.withoutPadding();
  }

  /**
   * {@return whether a depthwise product leaves out the padding: rows of the result are along rows
   * of the image, and a row of the kernel is short}
   */
  private boolean canSkipBorder(Dims kernel) {
    int last = window.rank() - 1;
    return areLanesFeatures
        && covered.isPadded()
        && kernel.without(Dims.of(numbers.kernelOutputFeatureDimension())).product() <= KBlocks.MAX
        && IntStream.range(numbers.outputSpatialDimensions().getInt(last) + 1, result.count())
            .allMatch(d -> d == numbers.outputFeatureDimension() || result.get(d) == 1)
        && phases.get(last).stream()
            .allMatch(
                each -> DepthwiseShape.isPossible(each.tapCount(), each.stride(), each.dilation()));
  }

  /**
   * {@return whether the image is copied with lanes last} A few features that are stored apart from
   * each other are faster computed from an image that has window positions last, too, unless lanes
   * are steps.
   */
  private boolean isReordered() {
    return areLanesFeatures
        || (!areLanesPositions
            && !arePositionsInPlace
            && (columns() >= FEW_FEATURES || hasFeaturesLast() || areLanesSteps()));
  }

  /** {@return whether lanes are steps in some phase, in the order of arrays with features last} */
  private boolean areLanesSteps() {
    return Lists.cartesianProduct(phases).stream()
        .map(phase -> new ConvolutionProduct(this, phase, ordered, false))
        .anyMatch(each -> GemvPlanner.isOfWindows(each.problem(0, 0)));
  }

  /**
   * {@return whether a window is one element, and all positions are contiguous in the image and the
   * result, as if features were the rows of a matrix}
   */
  private boolean arePositionsInPlace(Dims image) {
    Dims sizes = spatialSizes();
    Dims contiguous = sizes.rowMajorStrides();
    return sizes.product() >= MIN_ROW
        && window.equals(Window.of(Dims.filled(window.rank(), 1)))
        && image.rowMajorStrides().at(numbers.inputSpatialDimensions()).equals(contiguous)
        && result.rowMajorStrides().at(numbers.outputSpatialDimensions()).equals(contiguous)
        && !areLanesSteps();
  }

  /**
   * {@return the order of the image dimensions with features last, or with batches last if those
   * are lanes}
   */
  private Dims laneLastOrder() {
    Dims batch = Dims.of(numbers.inputBatchDimension());
    Dims feature = Dims.of(numbers.inputFeatureDimension());
    return (areLanesBatches() ? feature : batch)
        .concat(numbers.inputSpatialDimensions())
        .concat(areLanesBatches() ? batch : feature);
  }

  boolean areLanesBatches() {
    return areLanesFeatures && op.batchGroupCount() > 1;
  }

  /** {@return the order of the kernel dimensions, with features of the result last if lanes} */
  private Dims storedOrder(Dims kernel) {
    int features = numbers.kernelOutputFeatureDimension();
    return areLanesFeatures && kernel.rowMajorStrides().get(features) != 1
        ? Dims.of(numbers.kernelInputFeatureDimension())
            .concat(numbers.kernelSpatialDimensions())
            .concat(Dims.of(features))
        : Dims.range(0, kernel.count());
  }

  private Dims outputsLast() {
    return numbers
        .kernelSpatialDimensions()
        .concat(
            Dims.of(numbers.kernelInputFeatureDimension(), numbers.kernelOutputFeatureDimension()));
  }

  /** {@return the kernel with zeros around it if phases are combined} */
  private PaddedCopy paddedKernel(Dims sizes, Dims order) {
    Dims low = Dims.filled(sizes.count(), 0);
    Dims padded = sizes;
    for (int i = 0; i < window.rank(); i++) {
      int at = numbers.kernelSpatialDimensions().getInt(i);
      ConvolutionPhase each = phases.get(i).get(0);
      low = low.with(at, window.reversal().get(i) ? each.zerosAfter() : each.zerosBefore());
      padded = padded.with(at, each.zerosBefore() + sizes.get(at) + each.zerosAfter());
    }
    return new PaddedCopy(sizes, order, low, padded);
  }

  // ---- products

  /** {@return the products, one for each phase} */
  ImmutableList<GemmConfig> products(AccumulatorType type) {
    return Lists.cartesianProduct(phases).stream()
        .map(phase -> product(type, phase))
        .collect(ImmutableList.toImmutableList());
  }

  private GemmConfig product(AccumulatorType type, List<ConvolutionPhase> phase) {
    ConvolutionProduct stored = new ConvolutionProduct(this, phase, strides, arePositionsInPlace);
    return GemmConfig.convolution(
        type,
        stored.problem(covered.position(Dims.filled(result.count(), 0)), firstTap),
        new ConvolutionProduct(this, phase, ordered, false).problem(0, 0),
        areLanesFeatures || areLanesPositions,
        stored.border());
  }
}
