package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.interpreter.engine.Execution;

/** Convolution: for each position of the window a sum of products, computed as in a dot. */
final class Convolutions {
  private final Convolution op;
  private final Literal lhs;
  private final Literal kernel;
  private final Shape.Array shape;
  private final ConvolutionDimensionNumbers numbers;
  private final Dims lhsStrides;
  private final Dims kernelStrides;
  private final Dims resultStrides;

  private Convolutions(Convolution op, Literal lhs, Literal kernel, Shape.Array shape) {
    this.op = op;
    this.lhs = lhs;
    this.kernel = kernel;
    this.shape = shape;
    this.numbers = op.dimLabels();
    this.lhsStrides = lhs.arrayShape().sizes().rowMajorStrides();
    this.kernelStrides = kernel.arrayShape().sizes().rowMajorStrides();
    this.resultStrides = shape.sizes().rowMajorStrides();
  }

  /** {@code result[b, o, place] = sum over i, k of lhs[b, i, place + k] * kernel[o, i, k]} */
  static Literal convolution(
      Convolution op, List<Literal> in, Shape.Array shape, Execution execution) {
    return new Convolutions(op, in.get(0), in.get(1), shape).result(execution);
  }

  private Literal result(Execution execution) {
    if (lhs.elementCount() == 0 || kernel.elementCount() == 0) {
      // Sums of no terms, of which a window may have more than one can count.
      return Literal.full(shape, 0);
    }
    LiteralBuilder result = new LiteralBuilder(shape);
    Dots.Sum sum = new Dots.Sum(lhs, kernel, shape.elementType());
    int[] places = Offsets.ofDimensions(numbers.outputSpatialDimensions(), shape.sizes());
    SlidingWindow.Overlap features = features();
    sliding()
        .forEach((place, overlap) -> {
          SlidingWindow.Overlap terms = features.cartesianProduct(overlap);
          for (int output = 0; output < size(numbers.outputFeatureDimension()); output++) {
            execution.checkLimits();
            store(sum, result, places[place], output, terms);
          }
        });
    return result.build();
  }

  private SlidingWindow sliding() {
    Dims spatial = numbers.inputSpatialDimensions();
    return new SlidingWindow(
        op.window(),
        lhs.arrayShape().sizes().at(spatial),
        lhsStrides.at(spatial),
        kernelStrides.at(numbers.kernelSpatialDimensions()));
  }

  /**
   * Returns the offsets of the input features that are summed, in lhs and in the kernel, for the
   * first group.
   */
  private SlidingWindow.Overlap features() {
    int along = numbers.kernelInputFeatureDimension();
    Dims count = Dims.of(kernel.arrayShape().size(along));
    return new SlidingWindow.Overlap(
        Offsets.ofAllIndices(count, lhsStrides.at(Dims.of(numbers.inputFeatureDimension()))),
        Offsets.ofAllIndices(count, kernelStrides.at(Dims.of(along))));
  }

  /** Computes one output feature at one position, for the whole batch. */
  private void store(
      Dots.Sum sum, LiteralBuilder result, int place, int output, SlidingWindow.Overlap terms) {
    int batches = size(numbers.outputBatchDimension());
    int outputs = size(numbers.outputFeatureDimension());
    long inputs = kernel.arrayShape().size(numbers.kernelInputFeatureDimension());
    long firstInput = output / (outputs / op.featureGroupCount()) * inputs;
    long firstBatch = output / (outputs / op.batchGroupCount()) * batches;
    for (int batch = 0; batch < batches; batch++) {
      long to =
          place
              + batch * resultStrides.get(numbers.outputBatchDimension())
              + output * resultStrides.get(numbers.outputFeatureDimension());
      long from =
          (firstBatch + batch) * lhsStrides.get(numbers.inputBatchDimension())
              + firstInput * lhsStrides.get(numbers.inputFeatureDimension());
      long with = output * kernelStrides.get(numbers.kernelOutputFeatureDimension());
      sum.store(result, (int) to, (int) from, terms.base(), (int) with, terms.window());
    }
  }

  private int size(int dimension) {
    return (int) shape.size(dimension);
  }
}
