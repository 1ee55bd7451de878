package org.hlo4j.interpreter.compiled.fourier;

import org.hlo4j.interpreter.compiled.fourier.ButterflyCode.Factors;

/** Lines side by side, of any length, by {@link Chirp}. */
final class ChirpColumns implements ColumnTransform {
  private static final int BLOCK = 16;

  private final Chirp chirp;
  private final SmoothColumns convolution;
  private final Steps iteration = Steps.butterfly(1, Factors.OF_PARTS);

  ChirpColumns(int length) {
    this.convolution = new SmoothColumns(Lengths.quick(2 * length - 1));
    this.chirp = new Chirp(length, new SideBySide(convolution));
  }

  @Override
  public int length() {
    return chirp.length();
  }

  @Override
  public void apply(Grid from, Grid to, int columns, Room room) {
    for (int first = 0; first < columns; ) {
      int many = columns - first < 2 * BLOCK ? columns - first : BLOCK;
      applyBlock(from.behind(first), to.behind(first), many, room);
      first += many;
    }
  }

  private void applyBlock(Grid from, Grid to, int columns, Room room) {
    int padded = convolution.length();
    Grid a = room.grid(Room.Use.CONVOLVED, padded, columns);
    Grid b = room.grid(Room.Use.TRANSFORMED, padded, columns);
    iteration(from, a, chirp.factors(), chirp.length(), columns);
    a.clear(chirp.length() * columns, padded * columns);
    convolution.apply(a, b, columns, room);
    iteration(b, a, chirp.transformed(), padded, columns);
    convolution.apply(a.exchanged(), b.exchanged(), columns, room);
    iteration(b, to, chirp.factors(), chirp.length(), columns);
  }

  private void iteration(Grid from, Grid to, Grid factors, int rows, int columns) {
    int[] places = Places.of(rows, columns);
    places[Places.FROM_ROW] = from.stride();
    places[Places.TO_ROW] = to.stride();
    places[Places.FACTOR_ROW] = 1;
    iteration.run(from, to, factors, places);
  }
}
