package org.hlo4j.interpreter.compiled.fft;

/**
 * The transform of the columns of a grid, each of which is a line. Numbers at the same index of
 * neighboring lines are contiguous, so that each lane of a vector holds a number of another line.
 */
sealed interface ColumnTransform permits ChirpColumns, SmoothColumns, TransposedColumns {
  /** The length from which on each line has memory of its own. */
  int MIN_LONG = 1 << 18;

  /** Returns the length of a line. */
  int length();

  /**
   * Transforms lines. The output may be the input.
   *
   * @param from the input
   * @param to the output
   * @param columns the number of lines
   * @param workspace the workspace for intermediate results
   */
  void apply(FftGrid from, FftGrid to, int columns, FftWorkspace workspace);

  /** Returns the transform of lines of a length. */
  static ColumnTransform of(int length) {
    if (length >= MIN_LONG) {
      return new TransposedColumns(LineTransform.of(length, 1));
    }
    return Lengths.isSmooth(length) ? new SmoothColumns(length) : new ChirpColumns(length);
  }
}
