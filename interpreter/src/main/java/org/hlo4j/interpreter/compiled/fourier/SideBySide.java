package org.hlo4j.interpreter.compiled.fourier;

/** Short lines, turned so that they lie side by side. */
record SideBySide(ColumnTransform transform) implements LineTransform {
  private static final int NUMBERS = 1 << 10;
  private static final int MIN = 16;

  @Override
  public int length() {
    return transform.length();
  }

  @Override
  public int together() {
    return Math.max(MIN, NUMBERS / length() / MIN * MIN);
  }

  @Override
  public void apply(Grid from, Grid to, int lines, Room room) {
    int length = length();
    Grid turned = room.grid(Room.Use.ROWS, length, lines);
    Grid result = room.grid(Room.Use.TURNED, length, lines);
    Steps.iteration(from, turned, lines, length);
    transform.apply(turned, result, lines, room);
    Steps.iteration(result, to, length, lines);
  }
}
