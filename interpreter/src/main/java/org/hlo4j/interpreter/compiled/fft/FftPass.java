package org.hlo4j.interpreter.compiled.fft;

/** The transforms along one dimension, split into chunks that threads share. */
interface FftPass {
  /**
   * The input and the output of a pass.
   *
   * @param from the input
   * @param to the output; if both are the same plane, each chunk reads its input before it writes
   * @param isInverse whether real and imaginary parts are exchanged before and after the transform
   * @param scale the factor that results are multiplied by when they are written to a literal
   */
  record PassArguments(FftBuffer from, FftBuffer to, boolean isInverse, double scale) {}

  /** Returns the number of chunks. */
  int chunks();

  /** Returns whether threads share each chunk, rather than the chunks. */
  default boolean hasSharedChunks(int threads) {
    return false;
  }

  /** Runs one chunk. */
  void run(PassArguments passArguments, int chunk, FftWorkspace workspace);
}
