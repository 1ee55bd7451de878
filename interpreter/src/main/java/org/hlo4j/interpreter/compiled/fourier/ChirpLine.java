package org.hlo4j.interpreter.compiled.fourier;

import org.hlo4j.interpreter.compiled.fourier.ButterflyCode.Factors;

/** A line of any length, by {@link Chirp}. */
final class ChirpLine implements LineTransform {
  private final Chirp chirp;
  private final FourSteps convolution;
  private final Steps iteration = Steps.butterfly(1, Factors.OF_NUMBERS);

  ChirpLine(int length) {
    this.convolution = new FourSteps(Lengths.quick(2 * length - 1));
    this.chirp = new Chirp(length, convolution);
  }

  @Override
  public int length() {
    return chirp.length();
  }

  @Override
  public int together() {
    return 1;
  }

  @Override
  public void apply(Grid from, Grid to, int lines, Room room) {
    int length = chirp.length();
    int padded = convolution.length();
    Grid a = room.grid(Room.Use.CONVOLVED, 1, padded);
    Grid b = room.grid(Room.Use.TRANSFORMED, 1, padded);
    for (int line = 0; line < lines; line++) {
      iteration(from.behind(line * from.stride()), a, chirp.factors(), length);
      a.clear(length, padded);
      convolution.apply(a, b, 1, room);
      iteration(b, a, chirp.transformed(), padded);
      convolution.apply(a.exchanged(), b.exchanged(), 1, room);
      iteration(b, to.behind(line * to.stride()), chirp.factors(), length);
    }
  }

  private void iteration(Grid from, Grid to, Grid factors, int count) {
    iteration.run(from, to, factors, Places.of(1, count));
  }
}
