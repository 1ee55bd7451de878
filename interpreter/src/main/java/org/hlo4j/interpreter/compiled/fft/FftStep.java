package org.hlo4j.interpreter.compiled.fft;

/**
 * A step of a transform: a generated loop over many numbers. Public because generated classes
 * implement it.
 */
public interface FftStep {
  /**
   * Runs the step.
   *
   * @param arrays the arrays that the step reads and writes
   * @param arguments the sizes, offsets and strides, at the indices that {@code StepArguments}
   *     defines
   */
  void run(Object[] arrays, int[] arguments);
}
