package org.hlo4j.interpreter.compiled.conv;

import java.util.BitSet;
import java.util.stream.IntStream;
import org.hlo4j.interpreter.compiled.gemm.AccumulatorType;
import org.hlo4j.interpreter.compiled.gemm.DimensionOffsets;
import org.hlo4j.interpreter.compiled.gemm.Epilogue;
import org.hlo4j.interpreter.compiled.gemm.FixedRhs;
import org.hlo4j.interpreter.compiled.gemm.GemmConfig;
import org.hlo4j.interpreter.compiled.gemm.GemmProblem;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.Parallel;
import org.jspecify.annotations.Nullable;

/**
 * The window positions that reach beyond the image, and the correction of their sums. Padding is no
 * term of a sum, yet the products add it, and a zero times an infinity or a NaN of the kernel is
 * NaN. So a sum that is NaN at such a position is computed again, from its own terms only.
 */
final class PaddedPositions {
  private static final int POSITIONS_AT_ONCE = 256;

  private final AccumulatorType accumulatorType;
  private final GemmProblem product;
  private final ImagePadding padding;
  private final ImagePadding kernelPadding;
  private final boolean isKernelPadded;
  private final boolean isDepthwise;
  private final boolean isImageLeft;
  private final BitSet positions = new BitSet();

  /**
   * Finds the padded window positions of a product.
   *
   * @param config a product of f32 or f64 with at least one step
   * @param lowering the convolution of the product
   */
  PaddedPositions(GemmConfig config, ConvolutionGemm lowering) {
    this.accumulatorType = config.accumulatorType();
    this.product = config.product();
    this.padding = lowering.padding();
    this.kernelPadding = lowering.kernelPadding();
    this.isKernelPadded = !kernelPadding.isTransposeOnly();
    this.isDepthwise = lowering.isDepthwise();
    this.isImageLeft = !lowering.isTransposed();
    DimensionOffsets steps = isImageLeft ? product.stepsA() : product.stepsB();
    boolean isDilated = isKernelPadded || padding.dilation().stream().anyMatch(apart -> apart > 1);
    for (int i = 0; i < (isImageLeft ? product.rows() : product.columns()); i++) {
      Limits.checkAt(i);
      int first = start(i);
      int last = first + steps.at(steps.count() - 1);
      positions.set(i, isDilated || padding.isPadded(first) || padding.isPadded(last));
    }
  }

  /**
   * {@return the position in the padded image at which a window starts, in the first batch} The
   * other batches are padded alike.
   */
  private int start(int position) {
    return isImageLeft
        ? product.batchesA().at(0) + product.rowsA().at(position)
        : product.batchesB().at(0) + product.columnsB().at(position);
  }

  /** {@return the position in the padded kernel at which the taps of a feature start} */
  private int kernelStart(int feature) {
    return isImageLeft
        ? product.batchesB().at(0) + product.columnsB().at(feature)
        : product.batchesA().at(0) + product.rowsA().at(feature);
  }

  /**
   * {@return an epilogue that corrects parts of the result and then runs another epilogue on them}
   */
  Epilogue correctBefore(Epilogue next, Object a, Object b, Object c) {
    return (firstRow, lastRow, from, to) -> {
      int batch = firstRow / product.rows();
      int first = batch * product.rows();
      correct(a, b, c, batch, firstRow - first, lastRow - first, from, to);
      next.run(firstRow, lastRow, from, to);
    };
  }

  /** Corrects the whole result. */
  void correct(Object a, Object b, Object c, KernelContext context) {
    int places = isImageLeft ? product.rows() : product.columns();
    for (int batch = 0; batch < product.batches(); batch++) {
      int number = batch;
      Parallel.forRange(
          context,
          !positions.isEmpty(),
          places,
          POSITIONS_AT_ONCE,
          (first, last) -> {
            if (isImageLeft) {
              correct(a, b, c, number, first, last, 0, product.columns());
            } else {
              correct(a, b, c, number, 0, product.rows(), first, last);
            }
          });
    }
  }

  private void correct(
      Object a, Object b, Object c, int batch, int firstRow, int lastRow, int from, int to) {
    int first = isImageLeft ? firstRow : from;
    int last = isImageLeft ? lastRow : to;
    for (int i = positions.nextSetBit(first); i >= 0 && i < last; i = positions.nextSetBit(i + 1)) {
      if (isImageLeft) {
        correctPosition(a, b, c, batch, i, i + 1, from, to);
      } else {
        correctPosition(a, b, c, batch, firstRow, lastRow, i, i + 1);
      }
    }
  }

  /**
   * Corrects some sums of one window position. All of them have the same terms, unless the kernel
   * is padded.
   */
  private void correctPosition(
      Object a, Object b, Object c, int batch, int firstRow, int lastRow, int from, int to) {
    int @Nullable [] terms = null;
    for (int i = firstRow; i < lastRow; i++) {
      int start = product.batchesC().at(batch) + product.rowsC().at(i);
      for (int j = from; j < to; j++) {
        int at = start + product.columnsC().at(j);
        if (Double.isNaN(get(c, at))) {
          terms = terms == null || isKernelPadded ? terms(i, j) : terms;
          set(c, at, sum(a, b, batch, i, j, terms));
        }
      }
    }
  }

  /** {@return the steps that are not padding} */
  private int[] terms(int row, int column) {
    int start = start(isImageLeft ? row : column);
    int kernelStart = kernelStart(isImageLeft ? column : row);
    DimensionOffsets steps = isImageLeft ? product.stepsA() : product.stepsB();
    DimensionOffsets taps = isImageLeft ? product.stepsB() : product.stepsA();
    return IntStream.range(0, product.k())
        .filter(k -> !padding.isPadded(start + steps.at(k)))
        .filter(k -> !isKernelPadded || !kernelPadding.isPadded(kernelStart + taps.at(k)))
        .toArray();
  }

  /** {@return the sum of the terms, up to the first one that makes it NaN} */
  private double sum(Object a, Object b, int batch, int row, int column, int[] terms) {
    int lane = isDepthwise ? column : 0;
    int left = product.batchesA().at(batch) + product.rowsA().at(row) + lane;
    int right = product.batchesB().at(batch) + product.columnsB().at(column);
    double sum = 0;
    for (int t = 0; t < terms.length && !Double.isNaN(sum); t++) {
      int k = terms[t];
      sum +=
          get(a, left + product.stepsA().at(k))
              * (b instanceof FixedRhs packed
                  ? packed.get(k, column)
                  : get(b, right + product.stepsB().at(k)));
    }
    return sum;
  }

  private double get(Object array, int at) {
    return accumulatorType == AccumulatorType.F32 ? ((float[]) array)[at] : ((double[]) array)[at];
  }

  private void set(Object array, int at, double value) {
    if (accumulatorType == AccumulatorType.F32) {
      ((float[]) array)[at] = (float) value;
    } else {
      ((double[]) array)[at] = value;
    }
  }
}
