package org.hlo4j.interpreter.compiled.fft;

import org.hlo4j.interpreter.compiled.fft.ButterflyCode.Factors;
import org.hlo4j.interpreter.engine.Limits;

/**
 * The transform of contiguous lines of any length, one at a time, by Bluestein's algorithm. See
 * {@link Chirp}.
 */
final class ChirpLine implements LineTransform {
  private final Chirp chirp;
  private final FourSteps convolution;
  private final TieredFftStep multiplyStep = TieredFftStep.butterfly(1, Factors.PER_NUMBER);

  ChirpLine(int length) {
    this.convolution = new FourSteps(Lengths.nextFastLength(2 * length - 1));
    this.chirp = new Chirp(length, convolution);
  }

  @Override
  public int length() {
    return chirp.length();
  }

  @Override
  public int batchSize() {
    return 1;
  }

  @Override
  public void apply(FftGrid from, FftGrid to, int lines, FftWorkspace workspace) {
    int length = chirp.length();
    int padded = convolution.length();
    FftGrid a = workspace.grid(FftWorkspace.Purpose.CONVOLVED, 1, padded);
    FftGrid b = workspace.grid(FftWorkspace.Purpose.TRANSFORMED, 1, padded);
    for (int line = 0; line < lines; line++) {
      multiply(from.offset(line * from.stride()), a, chirp.factors(), length);
      a.clear(length, padded);
      convolution.apply(a, b, 1, workspace);
      multiply(b, a, chirp.filterSpectrum(), padded);
      convolution.apply(a.swapReIm(), b.swapReIm(), 1, workspace);
      multiply(b, to.offset(line * to.stride()), chirp.factors(), length);
    }
  }

  private void multiply(FftGrid from, FftGrid to, FftGrid factors, int count) {
    Limits.inPieces(
        0,
        count,
        (at, end) ->
            multiplyStep.run(
                from.offset(at), to.offset(at), factors.offset(at), StepArguments.of(1, end - at)));
  }
}
