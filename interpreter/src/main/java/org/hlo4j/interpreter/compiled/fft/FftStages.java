package org.hlo4j.interpreter.compiled.fft;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Fft;

/** The passes of a transform, one dimension after another, with the tables of their factors. */
final class FftStages {
  /** The length below which tables and workspaces take next to nothing. */
  private static final int LONG = 1 << 12;

  /** The numbers of the tables and of the workspace of a line, for each number of the line. */
  private static final int NUMBERS_PER_NUMBER = 16;

  /** The same for a line of the last dimension that needs no convolution. */
  private static final int NUMBERS_IF_SMOOTH = 4;

  private static final int BYTES_PER_NUMBER = 2 * Double.BYTES;

  private FftStages() {}

  /** Returns the passes of a transform of some elements. */
  static List<FftPass> of(Fft op, Shape.Array operand, Shape.Array shape) {
    Dims sizes = op.fftType() == Fft.FftType.RFFT ? shape.sizes() : operand.sizes();
    int dimensions = op.fftLength().count();
    List<FftPass> passes = new ArrayList<>();
    for (int i = 0; i < dimensions; i++) {
      boolean isUpward = op.fftType() == Fft.FftType.IRFFT;
      passes.add(pass(op, sizes, isUpward ? i : dimensions - 1 - i));
    }
    return passes;
  }

  private static FftPass pass(Fft op, Dims sizes, int number) {
    int dimension = sizes.count() - op.fftLength().count() + number;
    int lines = (int) (sizes.product() / sizes.get(dimension));
    int length = op.fftLength().getInt(number);
    if (dimension == sizes.count() - 1) {
      return new LinePass(op.fftType(), length, lines);
    }
    int stride = (int) sizes.subList(dimension + 1, sizes.count()).product();
    return new ColumnPass(Transform.ofColumns(length), stride, lines);
  }

  /**
   * Returns about as many bytes as the tables, the workspaces of some threads and the plane of
   * intermediate results take. Short lines take next to nothing.
   */
  static long bytes(Fft op, Shape.Array shape, int threads) {
    int dimensions = op.fftLength().count();
    long most = 0;
    for (int i = 0; i < dimensions; i++) {
      int length = op.fftLength().getInt(i);
      long lines = shape.elementCount() / shape.size(shape.rank() - dimensions + i);
      boolean isSmooth = i == dimensions - 1 && Lengths.isSmooth(length);
      long each = (isSmooth ? NUMBERS_IF_SMOOTH : NUMBERS_PER_NUMBER) * Math.min(threads, lines);
      most = Math.max(most, length < LONG ? 0 : each * length);
    }
    int planes = dimensions > 1 || most > 0 ? 1 : 0;
    return BYTES_PER_NUMBER * (most + planes * shape.elementCount());
  }
}
