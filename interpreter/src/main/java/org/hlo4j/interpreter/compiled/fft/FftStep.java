package org.hlo4j.interpreter.compiled.fft;

/** One step over many numbers. Public because classes that are generated implement it. */
public interface FftStep {
  /**
   * Does the step.
   *
   * @param arrays what it reads and writes
   * @param places how many numbers there are and where they lie, as its code has it
   */
  void run(Object[] arrays, int[] places);
}
