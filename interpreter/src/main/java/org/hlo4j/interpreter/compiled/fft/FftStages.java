package org.hlo4j.interpreter.compiled.fft;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Fft;

/** The passes of a transform, one dimension after another, with the tables of their factors. */
final class FftStages {
  private static final int LONG = 1 << 15;
  private static final int LONG_OF_FEW = 1 << 12;
  private static final int FEW = 4;

  /** The numbers of the tables and of the workspace of a line, for each number of the line. */
  private static final int NUMBERS_PER_NUMBER = 16;

  /** The same for a line that threads share, whose blocks are short. */
  private static final int NUMBERS_IF_SHARED = 4;

  private static final int BYTES_PER_NUMBER = 2 * Double.BYTES;

  private final Fft op;
  private final Dims sizes;
  private final int count;
  private final List<Stage> stages = new ArrayList<>();

  /** A pass and the target of its results. */
  record Stage(FftPass pass, Target to) {}

  /** The target of a pass: one of two planes of intermediate results, or the result. */
  enum Target {
    WORK,
    OTHER_WORK,
    RESULT
  }

  private FftStages(Fft op, Shape.Array operand, Shape.Array shape) {
    this.op = op;
    this.sizes = op.fftType() == Fft.FftType.RFFT ? shape.sizes() : operand.sizes();
    this.count = (int) sizes.product();
  }

  /** Returns the stages of a transform of some elements. */
  static List<Stage> of(Fft op, Shape.Array operand, Shape.Array shape) {
    FftStages made = new FftStages(op, operand, shape);
    int dimensions = op.fftLength().count();
    if (dimensions == 1) {
      made.addLines();
    } else {
      for (int i = 0; i < dimensions; i++) {
        boolean isUpward = op.fftType() == Fft.FftType.IRFFT;
        Target to = i == dimensions - 1 ? Target.RESULT : Target.WORK;
        made.stages.add(new Stage(made.pass(isUpward ? i : dimensions - 1 - i), to));
      }
    }
    return made.stages;
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
      long each =
          isShared(op, lines) ? NUMBERS_IF_SHARED : NUMBERS_PER_NUMBER * Math.min(threads, lines);
      most = Math.max(most, length < LONG_OF_FEW ? 0 : each * length);
    }
    int planes = dimensions > 1 || most > 0 ? 1 : 0;
    return BYTES_PER_NUMBER * (most + planes * shape.elementCount());
  }

  /**
   * Returns whether threads share the lines of a transform, along the last dimension only: lines
   * that are long, or few and not short.
   */
  private static boolean isShared(Fft op, long lines) {
    LineKind kind = LineKind.of(op.fftType());
    int length = op.fftLength().getInt(0);
    int numbers = kind.isHalved(length) ? length / 2 : length;
    return op.fftLength().count() == 1
        && numbers >= (lines < FEW ? LONG_OF_FEW : LONG)
        && Lengths.isSmooth(numbers)
        && Lengths.rows(numbers) > 0
        && (kind == LineKind.COMPLEX || kind.isHalved(length));
  }

  private LineKind kind() {
    return LineKind.of(op.fftType());
  }

  /** Adds the stages of a transform along the last dimension only. */
  private void addLines() {
    int lines = count / sizes.getInt(sizes.count() - 1);
    int length = op.fftLength().getInt(0);
    if (!isShared(op, lines)) {
      stages.add(new Stage(new LinePass(kind(), length, lines), Target.RESULT));
      return;
    }
    FourSteps steps = new FourSteps(kind().isHalved(length) ? length / 2 : length);
    FftPass transposed = new TransposedPass(steps, lines);
    FftPass columns = new ColumnPass(steps.second, steps.rows, lines * steps.rows);
    switch (kind()) {
      case COMPLEX -> {
        stages.add(new Stage(transposed, Target.WORK));
        stages.add(new Stage(columns, Target.RESULT));
      }
      case FROM_REAL -> {
        stages.add(new Stage(transposed, Target.WORK));
        stages.add(new Stage(columns, Target.WORK));
        RealLines reals = new RealLines(length, false);
        stages.add(new Stage(new MirrorPass(reals, true, length, lines), Target.RESULT));
      }
      case TO_REAL -> {
        RealLines reals = new RealLines(length, true);
        stages.add(new Stage(new MirrorPass(reals, false, length, lines), Target.WORK));
        stages.add(new Stage(transposed, Target.OTHER_WORK));
        stages.add(new Stage(columns, Target.RESULT));
      }
    }
  }

  private FftPass pass(int number) {
    int dimension = sizes.count() - op.fftLength().count() + number;
    int lines = count / sizes.getInt(dimension);
    int length = op.fftLength().getInt(number);
    if (dimension == sizes.count() - 1) {
      return new LinePass(kind(), length, lines);
    }
    int stride = 1;
    for (int i = dimension + 1; i < sizes.count(); i++) {
      stride *= sizes.getInt(i);
    }
    return new ColumnPass(ColumnTransform.of(length), stride, lines);
  }
}
