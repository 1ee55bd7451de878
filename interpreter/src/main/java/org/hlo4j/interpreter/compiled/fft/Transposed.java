package org.hlo4j.interpreter.compiled.fft;

/**
 * The transform of short rows, which are transposed so that they are columns, or of long columns,
 * which are transposed so that they are rows: one after another, they need memory for one
 * convolution or one matrix only.
 *
 * @param transform the transform after the transposition
 * @param areRows whether the lines are rows before
 */
record Transposed(Transform transform, boolean areRows) implements Transform {
  /** Lines whose length is a power of two would otherwise map to the same cache sets. */
  private static final int PADDING = 40;

  @Override
  public int length() {
    return transform.length();
  }

  @Override
  public void apply(FftGrid from, FftGrid to, int lines, FftWorkspace workspace) {
    int rows = areRows ? lines : length();
    int columns = areRows ? length() : lines;
    int stride = areRows ? lines : length() + PADDING;
    FftGrid transposed = workspace.grid(FftWorkspace.Purpose.LINES, columns, stride);
    FftGrid result = workspace.grid(FftWorkspace.Purpose.TRANSFORMED_LINES, columns, stride);
    from.transpose(transposed, rows, columns);
    transform.apply(transposed, result, lines, workspace);
    result.transpose(to, columns, rows);
  }
}
