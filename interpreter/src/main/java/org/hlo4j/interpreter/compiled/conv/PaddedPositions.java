package org.hlo4j.interpreter.compiled.conv;

import java.util.BitSet;
import java.util.function.Supplier;
import org.hlo4j.hlo.Dims;
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
  private final ConvolutionGemm lowering;
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
    Dims sizes = lowering.spatialSizes();
    Dims strides = lowering.spatialStrides();
    this.length = (int) strides.stream().min().orElse(1);
    this.period = (int) strides.times(sizes).stream().max().orElse(1) / Math.max(1, length);
    for (int line = 0; mayBeSpoilt && line < period; line++) {
      Limits.checkAt(line);
      lines.set(line, lowering.meetsPadding(line * length));
    }
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
          floats[at] = (float) lowering.sum(a, b.get(), at);
        } else if (c instanceof double[] doubles && Double.isNaN(doubles[at])) {
          doubles[at] = lowering.sum(a, b.get(), at);
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
}
