package org.hlo4j.interpreter.reference;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.reference.linalg.ComplexArray;

/** Discrete Fourier transforms, one dimension and one line after the other, computed in double. */
final class Fourier {
  private final Fft op;
  private final Dims sizes;
  private final ComplexArray work;
  private final Execution execution;

  private Fourier(Fft op, Dims sizes, Execution execution) {
    this.op = op;
    this.sizes = sizes;
    this.work = new ComplexArray(sizes.product());
    this.execution = execution;
  }

  /** Transforms the last dimensions. The very last one comes first, but last for IRFFT. */
  static Literal fft(Fft op, Literal operand, Shape.Array shape, Execution execution) {
    Dims from = operand.arrayShape().sizes();
    if (op.isComplexToComplex() && !op.hasLengthsOf(from)) {
      throw new HloException(
          HloException.Kind.UNSUPPORTED,
          String.format(
              "run: fft: fft_length got %s, want the sizes of the last dimensions of %s",
              op.fftLength(), operand.shape()));
    }
    Dims full = op.fftType() == Fft.FftType.IRFFT ? shape.sizes() : from;
    Fourier fourier = new Fourier(op, full, execution);
    fourier.load(operand, from);
    int rank = full.count();
    int first = rank - op.fftLength().count();
    if (op.fftType() == Fft.FftType.IRFFT) {
      for (int dimension = first; dimension < rank - 1; dimension++) {
        fourier.transform(dimension);
      }
      fourier.mirror();
      fourier.transform(rank - 1);
    } else {
      for (int dimension = rank - 1; dimension >= first; dimension--) {
        fourier.transform(dimension);
      }
    }
    return fourier.result(shape);
  }

  /**
   * Returns the positions of the elements of an array in the work array, whose lines are at least
   * as long.
   */
  private int[] positions(Dims part) {
    return Offsets.ofAllIndices(part, sizes.rowMajorStrides());
  }

  private void load(Literal operand, Dims from) {
    int[] positions = positions(from);
    for (int i = 0; i < positions.length; i++) {
      Limits.checkAt(i);
      work.load(positions[i], operand, i);
    }
  }

  private Literal result(Shape.Array shape) {
    LiteralBuilder result = new LiteralBuilder(shape);
    int[] positions = positions(shape.sizes());
    for (int i = 0; i < positions.length; i++) {
      Limits.checkAt(i);
      work.store(positions[i], result, i, shape.elementType().isComplex());
    }
    return result.build();
  }

  private void transform(int dimension) {
    int length = (int) sizes.get(dimension);
    if (length == 0) {
      return;
    }
    FftPlan transform = new FftPlan(length, op.fftType().isInverse());
    ComplexArray line = new ComplexArray(length);
    int stride = (int) sizes.rowMajorStrides().get(dimension);
    for (int start : Offsets.ofAllIndices(sizes.with(dimension, 1), sizes.rowMajorStrides())) {
      execution.checkLimits();
      for (int k = 0; k < length; k++) {
        line.set(k, work.get(start + k * stride));
      }
      transform.apply(line);
      for (int k = 0; k < length; k++) {
        work.set(start + k * stride, line.get(k));
      }
    }
  }

  /** Sets {@code line[n - k] = conjugate(line[k])}, which makes the transform real. */
  private void mirror() {
    int length = (int) sizes.get(sizes.count() - 1);
    for (int start = 0; start < sizes.product(); start += length) {
      Limits.checkAt(start / length);
      work.set(start, work.re(start), 0);
      for (int k = 1; 2 * k < length; k++) {
        Limits.checkAt(k);
        work.set(start + length - k, work.re(start + k), -work.im(start + k));
      }
      if (length % 2 == 0) {
        work.set(start + length / 2, work.re(start + length / 2), 0);
      }
    }
  }
}
