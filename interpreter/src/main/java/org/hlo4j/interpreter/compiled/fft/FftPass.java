package org.hlo4j.interpreter.compiled.fft;

/** The transforms along one dimension, in pieces that threads share. */
interface FftPass {
  /**
   * What is read and written, and how.
   *
   * @param from what is read
   * @param to what is written; where both are the same plane, each piece reads first
   * @param isInverse whether the parts are exchanged before and after
   * @param scale what results are multiplied by, if they are written to a literal
   */
  record Ends(Numbers from, Numbers to, boolean isInverse, double scale) {}

  /** How many pieces there are. */
  int pieces();

  /** Does one of them. */
  void run(Ends ends, int piece, FftWorkspace room);
}
