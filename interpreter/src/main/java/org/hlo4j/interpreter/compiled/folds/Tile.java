package org.hlo4j.interpreter.compiled.folds;

/**
 * Copies rows so that they lie side by side: element j of row i where element i of row j would be,
 * such rows so far apart; and back.
 *
 * @param rows how many rows
 * @param depth how many elements each has
 * @param pitch how far elements of a row come to be apart
 */
record Tile(int rows, int depth, int pitch) {
  /** Puts rows side by side at the start of an array. */
  void fill(Object from, int start, int rowStride, int elementStride, Object to) {
    for (int j = 0; j < depth; j++) {
      copy(from, start + j * elementStride, rowStride, to, j * pitch, 1, rows);
    }
  }

  /** Puts what lies side by side at the start of an array as rows, one behind the other. */
  void spill(Object from, Object to, int start) {
    for (int i = 0; i < rows; i++) {
      copy(from, i, pitch, to, start + i * depth, 1, depth);
    }
  }

  private static void copy(
      Object from, int f, int fromStride, Object to, int t, int toStride, int count) {
    switch (to) {
      case float[] target -> {
        float[] source = (float[]) from;
        for (int i = 0; i < count; i++) {
          target[t + i * toStride] = source[f + i * fromStride];
        }
      }
      case double[] target -> {
        double[] source = (double[]) from;
        for (int i = 0; i < count; i++) {
          target[t + i * toStride] = source[f + i * fromStride];
        }
      }
      case int[] target -> {
        int[] source = (int[]) from;
        for (int i = 0; i < count; i++) {
          target[t + i * toStride] = source[f + i * fromStride];
        }
      }
      case long[] target -> {
        long[] source = (long[]) from;
        for (int i = 0; i < count; i++) {
          target[t + i * toStride] = source[f + i * fromStride];
        }
      }
      case short[] target -> {
        short[] source = (short[]) from;
        for (int i = 0; i < count; i++) {
          target[t + i * toStride] = source[f + i * fromStride];
        }
      }
      case byte[] target -> {
        byte[] source = (byte[]) from;
        for (int i = 0; i < count; i++) {
          target[t + i * toStride] = source[f + i * fromStride];
        }
      }
      default -> throw new AssertionError(to);
    }
  }
}
