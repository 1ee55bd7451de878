package org.hlo4j.interpreter.compiled.fft;

import org.hlo4j.interpreter.compiled.fft.ButterflyCode.Factors;

/**
 * The transform of contiguous lines of any length, one at a time, by Bluestein's algorithm. See
 * {@link Chirp}.
 */
final class ChirpLine implements LineTransform {
  private final Chirp chirp;
  private final FourSteps convolution;
  private final FftSteps iteration = FftSteps.butterfly(1, Factors.OF_NUMBERS);

  ChirpLine(int length) {
    this.convolution = new FourSteps(Lengths.quick(2 * length - 1));
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
  public void apply(FftGrid from, FftGrid to, int lines, FftWorkspace room) {
    int length = chirp.length();
    int padded = convolution.length();
    FftGrid a = room.grid(FftWorkspace.Use.CONVOLVED, 1, padded);
    FftGrid b = room.grid(FftWorkspace.Use.TRANSFORMED, 1, padded);
    for (int line = 0; line < lines; line++) {
      multiply(from.offset(line * from.stride()), a, chirp.factors(), length);
      a.clear(length, padded);
      convolution.apply(a, b, 1, room);
      multiply(b, a, chirp.transformed(), padded);
      convolution.apply(a.exchanged(), b.exchanged(), 1, room);
      multiply(b, to.offset(line * to.stride()), chirp.factors(), length);
    }
  }

  private void multiply(FftGrid from, FftGrid to, FftGrid factors, int count) {
    iteration.run(from, to, factors, StepArguments.of(1, count));
  }
}
