package org.hlo4j.interpreter.compiled.copy;

import java.util.Arrays;

/** Loops over {@code float[]}, from which those over other arrays are specialized. */
final class FloatCellCopies extends CellCopies {
  @Override
  public Object newArray(int length) {
    return new float[length];
  }

  @Override
  public void tile(CopyGrid grid, int rows, int columns, Object from, int f, Object to, int t) {
    float[] source = (float[]) from;
    float[] target = (float[]) to;
    int step = grid.fromColumn();
    int width = grid.toRow();
    int row = 0;
    for (; row + 8 <= rows; row += 8) {
      int at = f + row;
      int targetIndex = t + row * width;
      for (int column = 0; column < columns; column++) {
        target[targetIndex + column] = source[at];
        target[targetIndex + width + column] = source[at + 1];
        target[targetIndex + 2 * width + column] = source[at + 2];
        target[targetIndex + 3 * width + column] = source[at + 3];
        target[targetIndex + 4 * width + column] = source[at + 4];
        target[targetIndex + 5 * width + column] = source[at + 5];
        target[targetIndex + 6 * width + column] = source[at + 6];
        target[targetIndex + 7 * width + column] = source[at + 7];
        at += step;
      }
    }
    for (; row < rows; row++) {
      int at = f + row;
      int targetIndex = t + row * width;
      for (int column = 0; column < columns; column++) {
        target[targetIndex + column] = source[at];
        at += step;
      }
    }
  }

  @Override
  void longRuns(
      CopyGrid grid, int rows, int columns, int run, Object from, int f, Object to, int t) {
    float[] source = (float[]) from;
    float[] target = (float[]) to;
    for (int row = 0; row < rows; row++) {
      int at = f + row * grid.fromRow();
      int targetIndex = t + row * grid.toRow();
      for (int column = 0; column < columns; column++) {
        System.arraycopy(source, at, target, targetIndex, run);
        at += grid.fromColumn();
        targetIndex += grid.toColumn();
      }
    }
  }

  @Override
  void runs(CopyGrid grid, int rows, int columns, int run, Object from, int f, Object to, int t) {
    float[] source = (float[]) from;
    float[] target = (float[]) to;
    for (int row = 0; row < rows; row++) {
      int at = f + row * grid.fromRow();
      int targetIndex = t + row * grid.toRow();
      for (int column = 0; column < columns; column++) {
        for (int i = 0; i < run; i++) {
          target[targetIndex + i] = source[at + i];
        }
        at += grid.fromColumn();
        targetIndex += grid.toColumn();
      }
    }
  }

  @Override
  void lines(CopyGrid grid, int rows, int columns, Object from, int f, Object to, int t) {
    float[] source = (float[]) from;
    float[] target = (float[]) to;
    int step = grid.fromColumn();
    int stride = grid.toColumn();
    for (int row = 0; row < rows; row++) {
      int at = f + row * grid.fromRow();
      int targetIndex = t + row * grid.toRow();
      if (step == -1 && stride == 1) {
        copyReversed(source, at, target, targetIndex, columns);
        continue;
      }
      for (int column = 0; column < columns; column++) {
        target[targetIndex] = source[at];
        at += step;
        targetIndex += stride;
      }
    }
  }

  /** Copies in reverse order. The strides are constants, so that C2 removes the bounds checks. */
  private static void copyReversed(float[] source, int f, float[] target, int t, int count) {
    for (int i = 0; i < count; i++) {
      target[t + i] = source[f - i];
    }
  }

  @Override
  void fill(CopyGrid grid, int rows, int columns, Object from, int f, Object to, int t) {
    float[] source = (float[]) from;
    float[] target = (float[]) to;
    if (columns >= 2 && columns <= 4) {
      fillShortRows(grid, rows, columns, source, f, target, t);
      return;
    }
    for (int row = 0; row < rows; row++) {
      int targetIndex = t + row * grid.toRow();
      Arrays.fill(target, targetIndex, targetIndex + columns, source[f + row * grid.fromRow()]);
    }
  }

  /** Fills rows of two to four cells. C2 makes a separate loop for each number. */
  private static void fillShortRows(
      CopyGrid grid, int rows, int columns, float[] source, int f, float[] target, int t) {
    int rowStride = grid.fromRow();
    int width = grid.toRow();
    for (int row = 0; row < rows; row++) {
      float value = source[f + row * rowStride];
      int targetIndex = t + row * width;
      target[targetIndex] = value;
      target[targetIndex + 1] = value;
      if (columns > 2) {
        target[targetIndex + 2] = value;
      }
      if (columns > 3) {
        target[targetIndex + 3] = value;
      }
    }
  }

  @Override
  public void gather(Object from, int[] at, int count, Object to, int t, int step) {
    float[] source = (float[]) from;
    float[] target = (float[]) to;
    if (step == 1) {
      for (int i = 0; i < count; i++) {
        target[t + i] = source[at[i]];
      }
      return;
    }
    for (int i = 0; i < count; i++) {
      target[t + i * step] = source[at[i]];
    }
  }

  @Override
  public void scatter(Object from, int f, int first, int end, Object to, int[] at) {
    float[] source = (float[]) from;
    float[] target = (float[]) to;
    for (int i = first; i < end; i++) {
      if (at[i] >= 0) {
        target[at[i]] = source[f + i];
      }
    }
  }
}
