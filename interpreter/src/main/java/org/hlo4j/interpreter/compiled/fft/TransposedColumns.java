package org.hlo4j.interpreter.compiled.fft;

/**
 * The transform of long columns, which are transposed so that they are contiguous lines: one after
 * another, they need memory for one convolution or one matrix only.
 */
record TransposedColumns(LineTransform transform) implements ColumnTransform {
  @Override
  public int length() {
    return transform.length();
  }

  @Override
  public void apply(FftGrid from, FftGrid to, int columns, FftWorkspace workspace) {
    int length = length();
    FftGrid lines = workspace.grid(FftWorkspace.Purpose.LINES, columns, length);
    FftGrid result = workspace.grid(FftWorkspace.Purpose.TRANSFORMED_LINES, columns, length);
    TieredFftStep.transpose(from, lines, length, columns);
    transform.apply(lines, result, columns, workspace);
    TieredFftStep.transpose(result, to, columns, length);
  }
}
