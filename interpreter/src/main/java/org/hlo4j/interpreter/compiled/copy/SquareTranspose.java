package org.hlo4j.interpreter.compiled.copy;

/**
 * Transposes square blocks whose side is the number of elements of a vector. Public because
 * generated classes implement it.
 */
public interface SquareTranspose {
  /**
   * Computes {@code to[t + k * toStep + r * toStride + c] = from[f + k * fromStep + c * fromStride
   * + r]} for k below {@code count}, and r and c below the side.
   *
   * @param order the shuffle indices that interleave two vectors: those for the lower half of the
   *     result, then those for the upper half
   */
  void transpose(
      Object from,
      int f,
      int fromStride,
      int fromStep,
      Object to,
      int t,
      int toStride,
      int toStep,
      int count,
      Object order);
}
