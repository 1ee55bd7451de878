package org.hlo4j.interpreter.compiled.fft;

/** The transform of lines that lie one behind the other. */
sealed interface LineTransform permits ChirpLine, FourSteps, TransposedLines {
  /** From this length on a line has vectors of its own, rather than a place in those of many. */
  int LONG = 512;

  /** The same of one that is not a product of small primes. */
  int LONG_CHIRP = 64;

  /** As many lines as fill vectors. */
  int MANY = 8;

  /** How many numbers a line has. */
  int length();

  /** How many lines are best done at once. */
  int together();

  /**
   * Transforms lines.
   *
   * @param from rows that are lines
   * @param to rows where results are put; another plane
   * @param lines how many
   * @param room for what lies between
   */
  void apply(FftGrid from, FftGrid to, int lines, FftWorkspace room);

  /** The one for so many lines of a length. */
  static LineTransform of(int length, int lines) {
    boolean isSmooth = Lengths.isSmooth(length);
    boolean isShort = length < LONG && lines >= MANY;
    if (isSmooth && !isShort && Lengths.rows(length) > 0) {
      return new FourSteps(length);
    } else if (isSmooth || length < LONG_CHIRP) {
      return new TransposedLines(ColumnTransform.of(length));
    }
    return new ChirpLine(length);
  }
}
