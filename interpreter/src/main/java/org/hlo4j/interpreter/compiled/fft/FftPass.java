package org.hlo4j.interpreter.compiled.fft;

/** The transforms along one dimension, split into pieces that threads share. */
interface FftPass {
  /**
   * The input and the output of a pass.
   *
   * @param from the input
   * @param to the output; if both are the same plane, each piece reads its input before it writes
   * @param isInverse whether real and imaginary parts are exchanged before and after the transform
   * @param scale the factor that results are multiplied by when they are written to a literal
   */
  record PassArguments(FftBuffer from, FftBuffer to, boolean isInverse, double scale) {}

  /** Returns the number of pieces. */
  int pieces();

  /** Returns whether threads share each piece, rather than the pieces. */
  default boolean hasSharedPieces(int threads) {
    return false;
  }

  /** Runs one piece. */
  void run(PassArguments passArguments, int piece, FftWorkspace workspace);
}
