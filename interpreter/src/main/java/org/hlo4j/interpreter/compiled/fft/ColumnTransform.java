package org.hlo4j.interpreter.compiled.fft;

/** The transform of lines that are contiguous: numbers of the same place are neighbours. */
sealed interface ColumnTransform permits ChirpColumns, SmoothColumns {
  /** How many numbers a line has. */
  int length();

  /**
   * Transforms lines. What is written may lie where it was read.
   *
   * @param from what is read
   * @param to where the result is put
   * @param columns how many lines
   * @param room for what lies between
   */
  void apply(FftGrid from, FftGrid to, int columns, FftWorkspace room);

  /** The one for a length. */
  static ColumnTransform of(int length) {
    return Lengths.isSmooth(length) ? new SmoothColumns(length) : new ChirpColumns(length);
  }
}
