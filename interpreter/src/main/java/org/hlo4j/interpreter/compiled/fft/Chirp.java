package org.hlo4j.interpreter.compiled.fft;

import org.hlo4j.interpreter.compiled.fft.ButterflyCode.Factors;
import org.hlo4j.interpreter.engine.Pieces;
import org.hlo4j.interpreter.engine.Workers;

/**
 * The transform of lines of any length by Bluestein's algorithm: as a convolution, by transforms of
 * another length. Rows are transformed one at a time, columns a block at a time.
 *
 * <pre>
 *   j k = (j^2 + k^2 - (k - j)^2) / 2, so with w[j] = e^(-pi i j^2 / n)
 *   result[k] = w[k] * sum over j of (line[j] * w[j]) * conjugate(w[k - j])
 * </pre>
 */
final class Chirp implements Transform {
  private static final int BLOCK = 16;

  private final int length;
  private final int padded;
  private final boolean areRows;
  private final Transform convolution;

  /** The factors w. */
  private final FftGrid factors;

  /** The transform of the conjugates of w, mirrored and padded with 0, divided by its length. */
  private final FftGrid filterSpectrum;

  private final TieredFftStep multiplyStep;

  Chirp(int length, boolean areRows) {
    this.length = length;
    this.areRows = areRows;
    this.padded = Lengths.nextFastLength(2 * length - 1);
    this.convolution = areRows ? new FourSteps(padded) : new SmoothColumns(padded);
    long twice = 2L * length;
    this.factors = AlignedSlab.table(length, length, k -> Roots.root((long) k * k % twice, twice));
    this.filterSpectrum = filterSpectrum();
    this.multiplyStep = TieredFftStep.butterfly(1, areRows ? Factors.PER_NUMBER : Factors.PER_PART);
  }

  private FftGrid filterSpectrum() {
    FftGrid conjugates = AlignedSlab.table(padded, padded);
    new Pieces(0, length)
        .forEach(k -> {
          conjugates.set(k, factors.re(k), -factors.im(k));
          conjugates.set((padded - k) % padded, factors.re(k), -factors.im(k));
        });
    FftGrid result = AlignedSlab.table(padded, padded);
    FftWorkspace workspace = FftWorkspace.borrow(Workers.of(1));
    Transform rows = areRows ? convolution : new Transposed(convolution, true);
    rows.apply(conjugates, result, 1, workspace);
    workspace.release();
    new Pieces(0, padded).forEach(k -> result.set(k, result.re(k) / padded, result.im(k) / padded));
    return result;
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public void apply(FftGrid from, FftGrid to, int lines, FftWorkspace workspace) {
    for (int first = 0; first < lines; ) {
      int count = areRows ? 1 : lines - first < 2 * BLOCK ? lines - first : BLOCK;
      FftGrid source = from.offset(areRows ? first * from.stride() : first);
      FftGrid target = to.offset(areRows ? first * to.stride() : first);
      FftGrid a = workspace.grid(FftWorkspace.Purpose.CONVOLVED, padded, count);
      FftGrid b = workspace.grid(FftWorkspace.Purpose.TRANSFORMED, padded, count);
      multiply(source, a, factors, length, count);
      a.clear(length * count, padded * count);
      convolution.apply(a, b, count, workspace);
      multiply(b, a, filterSpectrum, padded, count);
      convolution.apply(a.swapReIm(), b.swapReIm(), count, workspace);
      multiply(b, target, factors, length, count);
      first += count;
    }
  }

  /** Multiplies a row, or the rows of which {@code columns} lines are columns. */
  private void multiply(FftGrid from, FftGrid to, FftGrid factors, int numbers, int columns) {
    if (areRows) {
      new Pieces(0, numbers)
          .run((at, end) ->
              multiplyStep.run(
                  from.offset(at),
                  to.offset(at),
                  factors.offset(at),
                  StepArguments.of(1, end - at)));
      return;
    }
    int[] arguments = StepArguments.of(numbers, columns);
    arguments[StepArguments.FROM_ROW] = from.stride();
    arguments[StepArguments.TO_ROW] = to.stride();
    arguments[StepArguments.FACTOR_ROW] = 1;
    multiplyStep.run(from, to, factors, arguments);
  }
}
