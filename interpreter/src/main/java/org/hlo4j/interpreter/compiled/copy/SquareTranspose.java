package org.hlo4j.interpreter.compiled.copy;

/**
 * Transposes squares of as many elements a side as a vector has. Public because classes that are
 * generated implement it.
 */
public interface SquareTranspose {
  /**
   * {@code to[t + k * toStep + r * toStride + c] = from[f + k * fromStep + c * fromStride + r]} for
   * k below {@code count}, r and c below the side.
   *
   * @param order the numbers by which two vectors are interleaved: those of the lower half of the
   *     result, then of the upper
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
