package org.hlo4j.interpreter.compiled.conv;

import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.gemm.Epilogue;

/**
 * The window positions that meet padding, and the correction of their sums. Padding is no term of a
 * sum, yet the products add it, and a zero times an infinity or a NaN of the other side is NaN. So
 * a sum that is NaN at such a position is computed again, from its own terms only.
 *
 * <p>The result is a sequence of lines, along the innermost spatial dimension and those after it.
 * In each there is an interval of positions that do not meet padding, which may be empty.
 */
final class PaddedPositions {
  private final ConvolutionGemm lowering;
  private final Window window;
  private final ConvolutionDimensionNumbers numbers;
  private final Dims sizes;
  private final Dims strides;

  /** The sizes of the dilated image. */
  private final Dims places;

  /** The positions along each dimension whose windows do not reach beyond the image. */
  private final long[] begin;

  private final long[] end;
  private final int inner;
  private final int length;

  /** Finds the positions. */
  PaddedPositions(ConvolutionGemm lowering) {
    this.lowering = lowering;
    this.window = lowering.window;
    this.numbers = lowering.numbers;
    this.sizes = lowering.spatialSizes();
    this.strides = lowering.strides.result().at(numbers.outputSpatialDimensions());
    Dims ones = Dims.filled(sizes.count(), 1);
    Dims image = lowering.covered.sizes().at(numbers.inputSpatialDimensions());
    this.places = image.minus(ones).times(window.baseDilation()).plus(ones);
    IntStream dimensions = IntStream.range(0, sizes.count());
    boolean isAll = lowering.kernel.isPadded();
    this.begin = dimensions.mapToLong(i -> isAll ? sizes.get(i) : firstInside(i)).toArray();
    this.end = IntStream.range(0, begin.length).mapToLong(i -> endInside(i, begin[i])).toArray();
    this.inner = strides.indexOf(strides.stream().min().orElse(1));
    this.length = inner < 0 ? 1 : (int) (strides.get(inner) * sizes.get(inner));
  }

  private long firstInside(int i) {
    long low = Math.ceilDiv(window.paddingLow().get(i), window.strides().get(i));
    return Math.clamp(low, 0, sizes.get(i));
  }

  private long endInside(int i, long begin) {
    long reach = (window.sizes().get(i) - 1) * window.windowDilation().get(i);
    long last = places.get(i) - 1 - reach + window.paddingLow().get(i);
    return Math.clamp(Math.floorDiv(last, window.strides().get(i)) + 1, begin, sizes.get(i));
  }

  /** {@return an epilogue that corrects parts of the result and then runs another one on them} */
  Epilogue correctBefore(Epilogue next, int columns, Object a, Supplier<Object> b, Object c) {
    return (firstRow, lastRow, from, to) -> {
      if (to - from == columns) {
        correct(a, b, c, firstRow * columns, lastRow * columns);
      } else {
        for (int row = firstRow; row < lastRow; row++) {
          correct(a, b, c, row * columns + from, row * columns + to);
        }
      }
      next.run(firstRow, lastRow, from, to);
    };
  }

  /** Corrects elements outside of the intervals of their lines. */
  private void correct(Object a, Supplier<Object> b, Object c, int first, int last) {
    for (int line = first - first % length; line < last; line += length) {
      boolean isInside = true;
      for (int i = 0; i < begin.length; i++) {
        long index = line / strides.get(i) % sizes.get(i);
        isInside &= i == inner || (begin[i] <= index && index < end[i]);
      }
      int stride = length / (int) sizes.get(inner);
      int from = line + (isInside ? (int) begin[inner] * stride : length);
      int to = line + (isInside ? (int) end[inner] * stride : length);
      correctAll(a, b, c, Math.max(first, line), Math.min(last, from));
      correctAll(a, b, c, Math.max(first, to), Math.min(last, line + length));
    }
  }

  private void correctAll(Object a, Supplier<Object> b, Object c, int first, int last) {
    for (int at = first; at < last; at++) {
      if (c instanceof float[] floats && Float.isNaN(floats[at])) {
        floats[at] = (float) sum(a, b.get(), at);
      } else if (c instanceof double[] doubles && Double.isNaN(doubles[at])) {
        doubles[at] = sum(a, b.get(), at);
      }
    }
  }

  private static Dims index(int at, Dims sizes, Dims strides) {
    return Dims.of(
        IntStream.range(0, sizes.count())
            .mapToLong(i -> at / strides.get(i) % sizes.get(i))
            .toArray());
  }

  /**
   * {@return an element of the result, by its definition}
   *
   * @param a the image that the products read
   * @param b the kernel that the products read
   * @param at the position of the element
   */
  private double sum(Object a, Object b, int at) {
    Dims index = index(at, lowering.result, lowering.strides.result());
    long output = index.get(numbers.outputFeatureDimension());
    long outputs = lowering.result.get(numbers.outputFeatureDimension());
    long inputs = lowering.kernel.sizes().get(numbers.kernelInputFeatureDimension());
    long images = lowering.result.get(numbers.outputBatchDimension());
    long batch =
        output / (outputs / lowering.op.batchGroupCount()) * images
            + index.get(numbers.outputBatchDimension());
    long input = output / (outputs / lowering.op.featureGroupCount()) * inputs;
    int left =
        lowering.covered.position(
            Dims.filled(index.count(), 0)
                .with(numbers.inputBatchDimension(), batch)
                .with(numbers.inputFeatureDimension(), input));
    long right =
        lowering.firstTap
            + output * lowering.strides.kernel().get(numbers.kernelOutputFeatureDimension());
    Dims imageStrides = lowering.strides.image();
    Dims first = index(at, sizes, strides).times(window.strides()).minus(window.paddingLow());
    double sum = 0;
    for (int tap = 0; tap < window.sizes().product() && !Double.isNaN(sum); tap++) {
      Dims taps = index(tap, window.sizes(), window.sizes().rowMajorStrides());
      Dims place = first.plus(taps.times(window.windowDilation()));
      boolean isElement = place.inBounds(places);
      long x = left;
      for (int i = 0; i < window.rank(); i++) {
        long base = window.baseDilation().get(i);
        isElement &= place.get(i) % base == 0;
        x += place.get(i) / base * imageStrides.get(numbers.inputSpatialDimensions().getInt(i));
      }
      long y = right + taps.times(lowering.strides.taps()).stream().sum();
      for (int k = 0; k < inputs && isElement && !Double.isNaN(sum); k++) {
        long term = k * imageStrides.get(numbers.inputFeatureDimension());
        long factor = k * lowering.strides.kernel().get(numbers.kernelInputFeatureDimension());
        sum += Storages.real(a, (int) (x + term)) * Storages.real(b, (int) (y + factor));
      }
    }
    return sum;
  }
}
