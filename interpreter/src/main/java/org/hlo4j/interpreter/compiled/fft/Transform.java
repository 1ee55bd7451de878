package org.hlo4j.interpreter.compiled.fft;

/**
 * The transform of the lines of a grid. The lines are its rows, or its columns: then numbers at the
 * same index of neighboring lines are contiguous, so that each lane of a vector holds a number of
 * another line.
 */
sealed interface Transform permits Chirp, FourSteps, SmoothColumns, Transposed {
  /** The length from which on each column has memory of its own. */
  int MIN_LONG_COLUMN = 1 << 18;

  /**
   * The length from which on a line is vectorized by itself, rather than as one lane of vectors of
   * several lines.
   */
  int MIN_SINGLE_LINE_LENGTH = 512;

  /** The same for a length that is not a product of small primes. */
  int MIN_SINGLE_CHIRP_LENGTH = 64;

  /** The number of lines that fill vectors. */
  int LINES_PER_VECTOR = 8;

  /** The numbers of the lines that are best transformed at once. */
  int BATCH_NUMBERS = 1 << 10;

  /** Returns the length of a line. */
  int length();

  /**
   * Transforms lines. The output may be the input if the lines are columns.
   *
   * @param from the input
   * @param to the output
   * @param lines the number of lines
   * @param workspace the workspace for intermediate results
   */
  void apply(FftGrid from, FftGrid to, int lines, FftWorkspace workspace);

  /** Returns the transform of columns of a length. */
  static Transform ofColumns(int length) {
    if (length >= MIN_LONG_COLUMN) {
      return new Transposed(ofRows(length, 1), false);
    }
    return Lengths.isSmooth(length) ? new SmoothColumns(length) : new Chirp(length, false);
  }

  /** Returns the transform for {@code lines} rows of a length. */
  static Transform ofRows(int length, int lines) {
    boolean isSmooth = Lengths.isSmooth(length);
    boolean isShort = length < MIN_SINGLE_LINE_LENGTH && lines >= LINES_PER_VECTOR;
    if (isSmooth && !isShort && Lengths.rows(length) > 0) {
      return new FourSteps(length);
    } else if (isSmooth || length < MIN_SINGLE_CHIRP_LENGTH) {
      return new Transposed(ofColumns(length), true);
    }
    return new Chirp(length, true);
  }

  /** Returns the number of rows that are best transformed at once. */
  default int batchSize() {
    int lines = BATCH_NUMBERS / length();
    return switch (this) {
      case FourSteps _ -> Math.max(1, lines);
      case Chirp _ -> 1;
      case SmoothColumns _, Transposed _ ->
          Math.max(1, lines / (2 * LINES_PER_VECTOR)) * 2 * LINES_PER_VECTOR;
    };
  }
}
