package org.hlo4j.interpreter.compiled.fft;

/** The transform of contiguous lines, each of which is a row of a grid. */
sealed interface LineTransform permits ChirpLine, FourSteps, TransposedLines {
  /**
   * The length from which on a line is vectorized by itself, rather than as one lane of vectors of
   * several lines.
   */
  int MIN_SINGLE_LINE_LENGTH = 512;

  /** The same for a length that is not a product of small primes. */
  int MIN_SINGLE_CHIRP_LENGTH = 64;

  /** The number of lines that fill vectors. */
  int LINES_PER_VECTOR = 8;

  /** Returns the length of a line. */
  int length();

  /** Returns the number of lines that are best transformed at once. */
  int batchSize();

  /**
   * Transforms lines.
   *
   * @param from the grid whose rows are the lines
   * @param to the grid whose rows are the results; another one than {@code from}
   * @param lines the number of lines
   * @param workspace the workspace for intermediate results
   */
  void apply(FftGrid from, FftGrid to, int lines, FftWorkspace workspace);

  /** Returns the transform for {@code lines} lines of a length. */
  static LineTransform of(int length, int lines) {
    boolean isSmooth = Lengths.isSmooth(length);
    boolean isShort = length < MIN_SINGLE_LINE_LENGTH && lines >= LINES_PER_VECTOR;
    if (isSmooth && !isShort && Lengths.rows(length) > 0) {
      return new FourSteps(length);
    } else if (isSmooth || length < MIN_SINGLE_CHIRP_LENGTH) {
      return new TransposedLines(ColumnTransform.of(length));
    }
    return new ChirpLine(length);
  }
}
