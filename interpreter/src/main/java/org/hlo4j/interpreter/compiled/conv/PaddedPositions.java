package org.hlo4j.interpreter.compiled.conv;

import java.util.BitSet;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.compiled.gemm.Epilogue;
import org.hlo4j.interpreter.engine.Limits;

/**
 * The window positions that meet padding, and the correction of their sums. Padding is no term of a
 * sum, yet the products add it, and a zero times an infinity or a NaN of the other side is NaN. So
 * a sum that is NaN at such a position is computed again, from its own terms only.
 *
 * <p>The result is a sequence of lines, of the dimensions after the spatial ones. Whether a line
 * meets padding repeats with the dimensions before the spatial ones.
 */
final class PaddedPositions {
  private final Convolution op;
  private final Window window;
  private final ConvolutionDimensionNumbers numbers;
  private final PaddedCopy image;
  private final PaddedCopy kernel;
  private final Dims imageStrides;
  private final Dims kernelStrides;
  private final Dims result;
  private final Dims resultStrides;
  private final int length;
  private final int period;
  private final BitSet lines = new BitSet();

  /**
   * Finds the positions.
   *
   * @param op the convolution
   * @param image the image that the products read
   * @param kernel the kernel that the products read
   * @param result the sizes of the result, which is not empty
   */
  PaddedPositions(Convolution op, PaddedCopy image, PaddedCopy kernel, Dims result) {
    this.op = op;
    this.window = op.window();
    this.numbers = op.dimLabels();
    this.image = image;
    this.kernel = kernel;
    this.imageStrides = image.strides();
    this.kernelStrides = kernel.strides();
    this.result = result;
    this.resultStrides = result.rowMajorStrides();
    Dims strides = resultStrides.at(numbers.outputSpatialDimensions());
    long inner = strides.stream().min().orElse(1);
    long outer =
        IntStream.range(0, window.rank())
            .mapToLong(i -> strides.get(i) * size(numbers.outputSpatialDimensions().getInt(i)))
            .max()
            .orElse(1);
    this.length = (int) inner;
    this.period = (int) (outer / inner);
    boolean isAnyPadded = image.isPadded() || kernel.isPadded();
    for (int line = 0; isAnyPadded && line < period; line++) {
      Limits.checkAt(line);
      lines.set(line, kernel.isPadded() || meetsPadding((long) line * length));
    }
  }

  boolean areNone() {
    return lines.isEmpty();
  }

  private long size(int dimension) {
    return result.get(dimension);
  }

  /** {@return the index of an element of the result along a dimension} */
  private long index(long at, int dimension) {
    return at / resultStrides.get(dimension) % result.get(dimension);
  }

  /** {@return the place in the dilated image that the first tap meets along a spatial dimension} */
  private long place(long at, int i) {
    return index(at, numbers.outputSpatialDimensions().getInt(i)) * window.strides().get(i)
        - window.paddingLow().get(i);
  }

  private boolean meetsPadding(long at) {
    for (int i = 0; i < window.rank(); i++) {
      long first = place(at, i);
      long last = first + (window.sizes().get(i) - 1) * window.windowDilation().get(i);
      int along = numbers.inputSpatialDimensions().getInt(i);
      long end = (image.sizes().get(along) - 1) * window.baseDilation().get(i);
      if (first < 0 || last > end) {
        return true;
      }
    }
    return false;
  }

  /** {@return an epilogue that corrects rows of the result and then runs another one on them} */
  Epilogue correctBefore(Epilogue next, int columns, Object a, Supplier<Object> b, Object c) {
    return (firstRow, lastRow, from, to) -> {
      for (int row = firstRow; row < lastRow; row++) {
        correct(a, b, c, row * columns + from, row * columns + to);
      }
      next.run(firstRow, lastRow, from, to);
    };
  }

  /**
   * Corrects some elements of the result.
   *
   * @param a the image that the products read
   * @param b the kernel that the products read
   * @param c the result
   * @param first the first element
   * @param end the end of the elements, exclusive
   */
  void correct(Object a, Supplier<Object> b, Object c, int first, int end) {
    for (long line = next(first / length); line * length < end; line = next(line + 1)) {
      int last = (int) Math.min(end, (line + 1) * length);
      for (int at = (int) Math.max(first, line * length); at < last; at++) {
        if (Double.isNaN(get(c, at))) {
          set(c, at, sum(a, b.get(), at));
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

  /** {@return the sum of the terms, up to the first one that makes it NaN} */
  private double sum(Object a, Object b, int at) {
    int outputs = numbers.outputFeatureDimension();
    long output = index(at, outputs);
    long batchGroup = output / (size(outputs) / op.batchGroupCount());
    long featureGroup = output / (size(outputs) / op.featureGroupCount());
    long batch =
        batchGroup * size(numbers.outputBatchDimension())
            + index(at, numbers.outputBatchDimension());
    long inputs = kernel.sizes().get(numbers.kernelInputFeatureDimension());
    long input = imageStrides.get(numbers.inputFeatureDimension());
    long kernelInput = kernelStrides.get(numbers.kernelInputFeatureDimension());
    long left =
        batch * imageStrides.get(numbers.inputBatchDimension()) + featureGroup * inputs * input;
    long right = output * kernelStrides.get(numbers.kernelOutputFeatureDimension());
    double sum = 0;
    for (int tap = 0; tap < window.sizes().product() && !Double.isNaN(sum); tap++) {
      long x = left;
      long y = right;
      boolean isInside = true;
      for (int i = window.rank() - 1, rest = tap; i >= 0; i--) {
        int along = numbers.inputSpatialDimensions().getInt(i);
        int kernelAlong = numbers.kernelSpatialDimensions().getInt(i);
        int size = window.sizes().getInt(i);
        int k = rest % size;
        rest /= size;
        long place = place(at, i) + k * window.windowDilation().get(i);
        long base = window.baseDilation().get(i);
        isInside &= place >= 0 && place % base == 0 && place / base < image.sizes().get(along);
        x += (image.low().get(along) + place / base) * imageStrides.get(along);
        int tapAlong = window.reversal().get(i) ? size - 1 - k : k;
        y += (kernel.low().get(kernelAlong) + tapAlong) * kernelStrides.get(kernelAlong);
      }
      for (int k = 0; k < inputs && isInside && !Double.isNaN(sum); k++) {
        sum += get(a, (int) (x + k * input)) * get(b, (int) (y + k * kernelInput));
      }
    }
    return sum;
  }

  private static double get(Object array, int at) {
    return array instanceof float[] floats ? floats[at] : ((double[]) array)[at];
  }

  private static void set(Object array, int at, double value) {
    if (array instanceof float[] floats) {
      floats[at] = (float) value;
    } else {
      ((double[]) array)[at] = value;
    }
  }
}
