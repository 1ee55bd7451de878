package org.hlo4j.interpreter.compiled.conv;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.interpreter.compiled.conv.ConvolutionGemm.Strides;
import org.hlo4j.interpreter.compiled.gemm.DimensionOffsets;
import org.hlo4j.interpreter.compiled.gemm.GemmProblem;
import org.hlo4j.interpreter.compiled.gemm.ImageBorder;

/**
 * The product that computes one phase along each spatial dimension of a convolution: which of its
 * dimensions are batches, rows, columns and steps, and their strides in the three arrays. Steps are
 * in the order of an image with features last, however it is stored; batches are last if those are
 * lanes.
 */
final class ConvolutionProduct {
  /** A dimension: its size, and its strides in the image, kernel and result. */
  private record Axis(long count, long image, long kernel, long result) {}

  private final ConvolutionGemm lowering;
  private final ConvolutionDimensionNumbers numbers;
  private final List<ConvolutionPhase> phase;
  private final Strides strides;
  private final List<Axis> batches = new ArrayList<>();
  private final List<Axis> rows = new ArrayList<>();
  private final List<Axis> columns = new ArrayList<>();
  private final List<Axis> steps = new ArrayList<>();
  private long imageStart;
  private long kernelStart;
  private long resultStart;

  ConvolutionProduct(
      ConvolutionGemm lowering,
      List<ConvolutionPhase> phase,
      Strides strides,
      boolean areImagesBatches) {
    this.lowering = lowering;
    this.numbers = lowering.numbers;
    this.phase = phase;
    this.strides = strides;
    long images = lowering.result.get(numbers.outputBatchDimension());
    long image = strides.image().get(numbers.inputBatchDimension());
    long input = strides.image().get(numbers.inputFeatureDimension());
    long kernelInput = strides.kernel().get(numbers.kernelInputFeatureDimension());
    long kernelOutput = strides.kernel().get(numbers.kernelOutputFeatureDimension());
    long output = strides.result().get(numbers.outputFeatureDimension());
    long outputs = lowering.columns();
    (lowering.areLanesFeatures || (lowering.areLanesPositions && lowering.hasFeaturesLast())
            ? columns
            : batches)
        .add(
            new Axis(
                lowering.groups,
                lowering.op.batchGroupCount() > 1 ? images * image : lowering.inputs * input,
                outputs * kernelOutput,
                outputs * output));
    (areImagesBatches ? batches : rows)
        .add(new Axis(images, image, 0, strides.result().get(numbers.outputBatchDimension())));
    for (int i = 0; i < lowering.window.rank(); i++) {
      addSpatial(i, phase.get(i));
    }
    columns.add(new Axis(outputs, 0, kernelOutput, output));
    steps.add(
        lowering.areLanesBatches() ? 0 : steps.size(),
        new Axis(lowering.inputs, input, kernelInput, 0));
    sort(rows);
    sort(columns);
  }

  private void addSpatial(int i, ConvolutionPhase each) {
    long element = strides.image().get(numbers.inputSpatialDimensions().getInt(i));
    long tap = strides.taps().get(i);
    long position = strides.result().get(numbers.outputSpatialDimensions().getInt(i));
    (lowering.areLanesPositions && i == lowering.window.rank() - 1 ? columns : rows)
        .add(
            new Axis(
                each.positionCount(),
                element * each.stride(),
                0,
                position * each.positionStride()));
    columns.add(new Axis(each.neighbours(), 0, -tap * each.tapShift(), position));
    steps.add(new Axis(each.tapCount(), element * each.dilation(), tap * each.tapStride(), 0));
    imageStart += element * each.start();
    kernelStart += tap * each.firstTap();
    resultStart += position * each.firstPosition();
  }

  /** {@return the product of arrays whose first elements are at some positions} */
  GemmProblem problem(int firstElement, int firstTap) {
    return new GemmProblem(
        offsets(batches, Axis::image).plus((int) imageStart + firstElement),
        offsets(rows, Axis::image),
        offsets(steps, Axis::image),
        offsets(batches, Axis::kernel).plus((int) kernelStart + firstTap),
        offsets(steps, Axis::kernel),
        offsets(columns, Axis::kernel),
        offsets(batches, Axis::result).plus((int) resultStart),
        offsets(rows, Axis::result),
        offsets(columns, Axis::result));
  }

  /** {@return the border of the image; none if it is padded} */
  ImageBorder border() {
    if (!lowering.isBorderSkipped) {
      return ImageBorder.NONE;
    }
    ConvolutionPhase last = phase.get(phase.size() - 1);
    PaddedCopy covered = lowering.covered;
    return ImageBorder.of(
        covered.sizes().at(covered.order()),
        covered.low().at(covered.order()),
        covered.padded().at(covered.order()),
        (int) last.positionCount(),
        (int) last.tapCount());
  }

  /** Sorts axes from large strides in the result to small ones. */
  private static void sort(List<Axis> axes) {
    axes.sort(Comparator.comparingLong(Axis::result).reversed());
  }

  private static DimensionOffsets offsets(List<Axis> axes, ToLongFunction<Axis> stride) {
    return DimensionOffsets.of(each(axes, Axis::count), each(axes, stride));
  }

  private static Dims each(List<Axis> axes, ToLongFunction<Axis> property) {
    return Dims.of(axes.stream().mapToLong(property).toArray());
  }
}
