package org.hlo4j.interpreter.compiled.fft;

import java.util.Arrays;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Doubles;

/** The numbers that a pass reads or writes: a literal's storage, or a plane. */
sealed interface FftBuffer {
  /** The numbers that a thread converts at a time, of contiguous rows. */
  int PIECE = 1 << 14;

  /** The array of a literal: real parts, each followed by its imaginary part, or real numbers. */
  record LiteralBuffer(Object array) implements FftBuffer {}

  /** A plane of intermediate results. */
  record Planar(FftGrid grid) implements FftBuffer {}

  /**
   * Returns rows as a grid: a view of the plane, or a copy of the literal's numbers.
   *
   * @param at the index of the first number of the first row
   * @param stride the distance between the starts of two rows, in numbers
   */
  default FftGrid read(int at, int stride, int rows, int columns, FftWorkspace workspace) {
    return switch (this) {
      case Planar(FftGrid grid) -> grid.offset(at).withStride(stride);
      case LiteralBuffer(Object array) -> {
        FftGrid to = workspace.grid(FftWorkspace.Purpose.READ, rows, columns);
        boolean isWhole = stride == columns;
        int count = isWhole ? rows * columns : columns;
        int lines = isWhole ? 1 : rows;
        workspace.share(
            count,
            isWhole ? PIECE : count,
            (own, first, end) ->
                TieredFftStep.read(
                    array, 2 * (at + first), 2 * stride, to.offset(first), lines, end - first));
        yield to;
      }
    };
  }

  /** Returns a copy of rows of real numbers as a grid whose imaginary parts are 0. */
  default FftGrid readReal(int at, int rows, int columns, FftWorkspace workspace) {
    FftGrid grid = workspace.grid(FftWorkspace.Purpose.READ, rows, columns);
    int count = rows * columns;
    Doubles.read(
        ElementType.F64, ((LiteralBuffer) this).array(), at, 1, grid.array(), grid.at(), count);
    int im = grid.at() + grid.shift();
    Arrays.fill(grid.array(), im, im + count, 0);
    return grid;
  }

  /**
   * Returns the grid to compute rows into, before they are {@link #write written}: a view of the
   * plane itself, or a buffer.
   */
  default FftGrid target(int at, int stride, int rows, int columns, FftWorkspace workspace) {
    return targetOf(FftWorkspace.Purpose.WRITTEN, at, stride, rows, columns, workspace);
  }

  /** Returns the same as {@link #target}, with the buffer for another purpose. */
  default FftGrid targetOf(
      FftWorkspace.Purpose purpose,
      int at,
      int stride,
      int rows,
      int columns,
      FftWorkspace workspace) {
    return switch (this) {
      case Planar(FftGrid grid) -> grid.offset(at).withStride(stride);
      case LiteralBuffer _ -> workspace.grid(purpose, rows, columns);
    };
  }

  /**
   * Writes rows that were computed into their {@link #target}. In a literal, they are multiplied by
   * {@code by}. In a plane, they are in place already.
   */
  default void write(
      FftGrid from, int at, int stride, int rows, int columns, double by, FftWorkspace workspace) {
    if (this instanceof LiteralBuffer(Object array)) {
      boolean isWhole = stride == columns && from.stride() == columns;
      int count = isWhole ? rows * columns : columns;
      int lines = isWhole ? 1 : rows;
      workspace.share(
          count,
          isWhole ? PIECE : count,
          (own, first, end) ->
              TieredFftStep.write(
                  from.offset(first), array, 2 * (at + first), 2 * stride, lines, end - first, by));
    }
  }

  /**
   * Writes rows that were computed into another grid. In a literal, they are multiplied by {@code
   * by}.
   */
  default void copy(
      FftGrid from, int at, int stride, int rows, int columns, double by, FftWorkspace workspace) {
    if (this instanceof Planar(FftGrid grid)) {
      from.copy(grid.offset(at).withStride(stride), rows, columns);
    } else {
      write(from, at, stride, rows, columns, by, workspace);
    }
  }

  /** Writes the real parts of a row, multiplied by {@code by}. */
  default void writeReal(FftGrid from, int at, int columns, double by) {
    double[] parts = from.array();
    for (int i = 0; i < columns; i++) {
      parts[from.at() + i] *= by;
    }
    Doubles.write(ElementType.F64, parts, from.at(), ((LiteralBuffer) this).array(), at, columns);
  }
}
