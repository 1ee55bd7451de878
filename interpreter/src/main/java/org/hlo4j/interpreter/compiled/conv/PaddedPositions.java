package org.hlo4j.interpreter.compiled.conv;

import java.util.BitSet;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.compiled.gemm.Epilogue;
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.hlo4j.interpreter.engine.Pieces;

/**
 * The window positions that meet padding, and the correction of their sums. Padding is no term of a
 * sum, yet the products add it, and a zero times an infinity or a NaN of the other side is NaN. So
 * a sum that is NaN at such a position is computed again, from its own terms only.
 *
 * <p>The result is a sequence of lines, of the dimensions after the spatial ones. Whether a line
 * meets padding repeats with the dimensions before the spatial ones.
 */
final class PaddedPositions {
  private final ConvolutionGemm lowering;
  private final Window window;
  private final ConvolutionDimensionNumbers numbers;
  private final Dims sizes;
  private final Dims strides;
  private final Dims ones;

  /** The sizes of the dilated image. */
  private final Dims places;

  private final int length;
  private final int period;
  private final BitSet lines = new BitSet();

  /**
   * Finds the positions.
   *
   * @param mayBeSpoilt whether there may be sums to correct; otherwise no position is found
   */
  PaddedPositions(ConvolutionGemm lowering, boolean mayBeSpoilt) {
    this.lowering = lowering;
    this.window = lowering.window;
    this.numbers = lowering.numbers;
    this.sizes = lowering.spatialSizes();
    this.strides = lowering.strides.result().at(numbers.outputSpatialDimensions());
    this.ones = Dims.filled(sizes.count(), 1);
    Dims image = lowering.covered.sizes().at(numbers.inputSpatialDimensions());
    this.places = image.minus(ones).times(window.baseDilation()).plus(ones);
    this.length = (int) strides.stream().min().orElse(1);
    this.period = (int) strides.times(sizes).stream().max().orElse(1) / Math.max(1, length);
    if (mayBeSpoilt) {
      lines.set(0, period);
    }
    if (mayBeSpoilt && !lowering.kernel.isPadded()) {
      clearInside();
    }
  }

  /**
   * Clears the lines whose windows do not reach beyond the image: those in an interval along each
   * spatial dimension.
   */
  private void clearInside() {
    Dims distances =
        Dims.of(lowering.strides.result().stream().map(stride -> stride / length).toArray());
    Dims counts = Dims.filled(distances.count(), 1);
    int first = 0;
    for (int d = 0; d < distances.count(); d++) {
      int i = numbers.outputSpatialDimensions().indexOf(d);
      if (i >= 0) {
        long begin = firstInside(i);
        counts = counts.with(d, endInside(i, begin) - begin);
        first += (int) (begin * distances.get(d));
      } else if (distances.get(d) >= 1 && distances.get(d) < period) {
        counts = counts.with(d, lowering.result.get(d));
      }
    }
    clear(first, Offsets.merged(counts, distances));
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

  /** Clears lines, as runs along the last dimension. */
  private void clear(int first, Offsets cleared) {
    int run = cleared.innerStride() == 1 ? cleared.innerSize() : 1;
    Offsets runs = cleared.each(run);
    new Pieces(0, runs.count())
        .run((from, end) -> {
          for (int i = from; i < end; i++) {
            lines.clear(first + runs.at(i), first + runs.at(i) + run);
          }
        });
  }

  boolean areNone() {
    return lines.isEmpty();
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

  private void correct(Object a, Supplier<Object> b, Object c, int first, int end) {
    for (long line = next(first / length), stop; line * length < end; line = next(stop)) {
      int within = (int) (line % period);
      stop = line - within + Math.min(period, lines.nextClearBit(within));
      int last = (int) Math.min(end, stop * length);
      for (int at = (int) Math.max(first, line * length); at < last; at++) {
        if (c instanceof float[] floats && Float.isNaN(floats[at])) {
          floats[at] = (float) sum(a, b.get(), at);
        } else if (c instanceof double[] doubles && Double.isNaN(doubles[at])) {
          doubles[at] = sum(a, b.get(), at);
        }
      }
    }
  }

  /** {@return the first line from the given one on that meets padding} */
  private long next(long line) {
    int within = (int) (line % period);
    int next = lines.nextSetBit(within);
    return line - within + (next >= 0 ? next : period + lines.nextSetBit(0));
  }

  /** {@return where in the dilated image the window of an element of the result begins} */
  private Dims place(int at) {
    Dims position = index(at, sizes, strides);
    return position.times(window.strides()).minus(window.paddingLow());
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
    Dims first = place(at);
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
        sum += get(a, x + term) * get(b, y + factor);
      }
    }
    return sum;
  }

  private static double get(Object array, long at) {
    return array instanceof float[] floats ? floats[(int) at] : ((double[]) array)[(int) at];
  }
}
