package org.hlo4j.interpreter.compiled.fft;

import org.hlo4j.interpreter.compiled.fft.ButterflyCode.Factors;

/**
 * The transform of the columns of a grid, of any length, by Bluestein's algorithm. See {@link
 * Chirp}.
 */
final class ChirpColumns implements ColumnTransform {
  private static final int BLOCK = 16;

  private final Chirp chirp;
  private final SmoothColumns convolution;
  private final TieredFftStep multiplyStep = TieredFftStep.butterfly(1, Factors.PER_PART);

  ChirpColumns(int length) {
    this.convolution = new SmoothColumns(Lengths.nextFastLength(2 * length - 1));
    this.chirp = new Chirp(length, new TransposedLines(convolution));
  }

  @Override
  public int length() {
    return chirp.length();
  }

  @Override
  public void apply(FftGrid from, FftGrid to, int columns, FftWorkspace workspace) {
    for (int first = 0; first < columns; ) {
      int count = columns - first < 2 * BLOCK ? columns - first : BLOCK;
      applyBlock(from.offset(first), to.offset(first), count, workspace);
      first += count;
    }
  }

  private void applyBlock(FftGrid from, FftGrid to, int columns, FftWorkspace workspace) {
    int padded = convolution.length();
    FftGrid a = workspace.grid(FftWorkspace.Purpose.CONVOLVED, padded, columns);
    FftGrid b = workspace.grid(FftWorkspace.Purpose.TRANSFORMED, padded, columns);
    multiply(from, a, chirp.factors(), chirp.length(), columns);
    a.clear(chirp.length() * columns, padded * columns);
    convolution.apply(a, b, columns, workspace);
    multiply(b, a, chirp.filterSpectrum(), padded, columns);
    convolution.apply(a.swapReIm(), b.swapReIm(), columns, workspace);
    multiply(b, to, chirp.factors(), chirp.length(), columns);
  }

  private void multiply(FftGrid from, FftGrid to, FftGrid factors, int rows, int columns) {
    int[] arguments = StepArguments.of(rows, columns);
    arguments[StepArguments.FROM_ROW] = from.stride();
    arguments[StepArguments.TO_ROW] = to.stride();
    arguments[StepArguments.FACTOR_ROW] = 1;
    multiplyStep.run(from, to, factors, arguments);
  }
}
