package org.hlo4j.interpreter.compiled.fft;

/**
 * The transform of long columns, which are transposed so that they are contiguous lines: one after
 * another, they need memory for one convolution or one matrix only.
 */
record TransposedColumns(LineTransform transform) implements ColumnTransform {
  /** Lines whose length is a power of two would otherwise map to the same cache sets. */
  private static final int PADDING = 40;

  @Override
  public int length() {
    return transform.length();
  }

  @Override
  public void apply(FftGrid from, FftGrid to, int columns, FftWorkspace workspace) {
    int length = length();
    int stride = length + PADDING;
    FftGrid lines = workspace.grid(FftWorkspace.Purpose.LINES, columns, stride);
    FftGrid result = workspace.grid(FftWorkspace.Purpose.TRANSFORMED_LINES, columns, stride);
    from.transpose(lines, length, columns);
    transform.apply(lines, result, columns, workspace);
    result.transpose(to, columns, length);
  }
}
