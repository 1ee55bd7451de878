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
      int put = t + row * width;
      for (int column = 0; column < columns; column++) {
        target[put + column] = source[at];
        target[put + width + column] = source[at + 1];
        target[put + 2 * width + column] = source[at + 2];
        target[put + 3 * width + column] = source[at + 3];
        target[put + 4 * width + column] = source[at + 4];
        target[put + 5 * width + column] = source[at + 5];
        target[put + 6 * width + column] = source[at + 6];
        target[put + 7 * width + column] = source[at + 7];
        at += step;
      }
    }
    for (; row < rows; row++) {
      int at = f + row;
      int put = t + row * width;
      for (int column = 0; column < columns; column++) {
        target[put + column] = source[at];
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
      int put = t + row * grid.toRow();
      for (int column = 0; column < columns; column++) {
        System.arraycopy(source, at, target, put, run);
        at += grid.fromColumn();
        put += grid.toColumn();
      }
    }
  }

  @Override
  void runs(CopyGrid grid, int rows, int columns, int run, Object from, int f, Object to, int t) {
    float[] source = (float[]) from;
    float[] target = (float[]) to;
    for (int row = 0; row < rows; row++) {
      int at = f + row * grid.fromRow();
      int put = t + row * grid.toRow();
      for (int column = 0; column < columns; column++) {
        for (int i = 0; i < run; i++) {
          target[put + i] = source[at + i];
        }
        at += grid.fromColumn();
        put += grid.toColumn();
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
      int put = t + row * grid.toRow();
      if (step == -1 && stride == 1) {
        backwards(source, at, target, put, columns);
        continue;
      }
      for (int column = 0; column < columns; column++) {
        target[put] = source[at];
        at += step;
        put += stride;
      }
    }
  }

  /** Copies in reverse order. The strides are constants, so that C2 removes the bounds checks. */
  private static void backwards(float[] source, int f, float[] target, int t, int count) {
    for (int i = 0; i < count; i++) {
      target[t + i] = source[f - i];
    }
  }

  @Override
  void fill(CopyGrid grid, int rows, int columns, Object from, int f, Object to, int t) {
    float[] source = (float[]) from;
    float[] target = (float[]) to;
    if (columns >= 2 && columns <= 4) {
      few(grid, rows, columns, source, f, target, t);
      return;
    }
    for (int row = 0; row < rows; row++) {
      int put = t + row * grid.toRow();
      Arrays.fill(target, put, put + columns, source[f + row * grid.fromRow()]);
    }
  }

  /** Fills rows of two to four cells. C2 makes a separate loop for each number. */
  private static void few(
      CopyGrid grid, int rows, int columns, float[] source, int f, float[] target, int t) {
    int apart = grid.fromRow();
    int width = grid.toRow();
    for (int row = 0; row < rows; row++) {
      float value = source[f + row * apart];
      int put = t + row * width;
      target[put] = value;
      target[put + 1] = value;
      if (columns > 2) {
        target[put + 2] = value;
      }
      if (columns > 3) {
        target[put + 3] = value;
      }
    }
  }

  @Override
  public void take(Object from, int[] at, int count, Object to, int t, int step) {
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
  public void put(Object from, int f, int[] at, int count, Object to) {
    float[] source = (float[]) from;
    float[] target = (float[]) to;
    for (int i = 0; i < count; i++) {
      if (at[i] >= 0) {
        target[at[i]] = source[f + i];
      }
    }
  }
}
