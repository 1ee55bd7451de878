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
  private final FftSteps iteration = FftSteps.butterfly(1, Factors.OF_PARTS);

  ChirpColumns(int length) {
    this.convolution = new SmoothColumns(Lengths.quick(2 * length - 1));
    this.chirp = new Chirp(length, new TransposedLines(convolution));
  }

  @Override
  public int length() {
    return chirp.length();
  }

  @Override
  public void apply(FftGrid from, FftGrid to, int columns, FftWorkspace room) {
    for (int first = 0; first < columns; ) {
      int many = columns - first < 2 * BLOCK ? columns - first : BLOCK;
      applyBlock(from.offset(first), to.offset(first), many, room);
      first += many;
    }
  }

  private void applyBlock(FftGrid from, FftGrid to, int columns, FftWorkspace room) {
    int padded = convolution.length();
    FftGrid a = room.grid(FftWorkspace.Use.CONVOLVED, padded, columns);
    FftGrid b = room.grid(FftWorkspace.Use.TRANSFORMED, padded, columns);
    multiply(from, a, chirp.factors(), chirp.length(), columns);
    a.clear(chirp.length() * columns, padded * columns);
    convolution.apply(a, b, columns, room);
    multiply(b, a, chirp.transformed(), padded, columns);
    convolution.apply(a.exchanged(), b.exchanged(), columns, room);
    multiply(b, to, chirp.factors(), chirp.length(), columns);
  }

  private void multiply(FftGrid from, FftGrid to, FftGrid factors, int rows, int columns) {
    int[] places = StepArguments.of(rows, columns);
    places[StepArguments.FROM_ROW] = from.stride();
    places[StepArguments.TO_ROW] = to.stride();
    places[StepArguments.FACTOR_ROW] = 1;
    iteration.run(from, to, factors, places);
  }
}
