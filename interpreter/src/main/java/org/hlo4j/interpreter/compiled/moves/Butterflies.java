package org.hlo4j.interpreter.compiled.moves;

/** Steps of Fourier transforms of lines side by side. Public for the generated classes only. */
public interface Butterflies {
  /**
   * Does one step in place. Number k of line i lies at {@code k * Batch.WIDTH + i}.
   *
   * @param arrays real parts, imaginary parts, and those of the factors
   * @param half half of how many numbers are joined, where numbers are joined
   * @param count how many numbers a line has
   */
  void run(Object[] arrays, int half, int count);
}
