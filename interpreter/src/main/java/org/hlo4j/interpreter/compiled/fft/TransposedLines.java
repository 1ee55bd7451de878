package org.hlo4j.interpreter.compiled.fft;

/** The transform of short contiguous lines, which are transposed so that they are columns. */
record TransposedLines(ColumnTransform transform) implements LineTransform {
  private static final int NUMBERS = 1 << 10;
  private static final int MIN = 16;

  @Override
  public int length() {
    return transform.length();
  }

  @Override
  public int batchSize() {
    return Math.max(MIN, NUMBERS / length() / MIN * MIN);
  }

  @Override
  public void apply(FftGrid from, FftGrid to, int lines, FftWorkspace workspace) {
    int length = length();
    FftGrid transposed = workspace.grid(FftWorkspace.Purpose.ROWS, length, lines);
    FftGrid result = workspace.grid(FftWorkspace.Purpose.TRANSPOSED, length, lines);
    from.transpose(transposed, lines, length);
    transform.apply(transposed, result, lines, workspace);
    result.transpose(to, length, lines);
  }
}
