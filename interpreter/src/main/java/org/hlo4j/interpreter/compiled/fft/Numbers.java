package org.hlo4j.interpreter.compiled.fft;

import java.util.Arrays;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Doubles;

/** Where a pass reads numbers, or writes them: a literal's storage, or a plane. */
sealed interface Numbers {
  /** The array of a literal: real parts each followed by its imaginary part, or real numbers. */
  record Stored(Object array) implements Numbers {}

  /** What lies between passes. */
  record Planar(FftGrid grid) implements Numbers {}

  /**
   * Rows of numbers as they are in a plane: read if need be.
   *
   * @param at which number is the first of the first row
   * @param stride how many numbers behind the second one begins
   */
  default FftGrid read(int at, int stride, int rows, int columns, FftWorkspace room) {
    return switch (this) {
      case Planar(FftGrid grid) -> grid.behind(at).withStride(stride);
      case Stored(Object array) -> {
        FftGrid to = room.grid(FftWorkspace.Use.READ, rows, columns);
        FftSteps.read(array, 2 * at, 2 * stride, to, rows, columns);
        yield to;
      }
    };
  }

  /** Real numbers, with imaginary parts of 0. */
  default FftGrid readReal(int at, int rows, int columns, FftWorkspace room) {
    FftGrid grid = room.grid(FftWorkspace.Use.READ, rows, columns);
    int count = rows * columns;
    Doubles.read(ElementType.F64, ((Stored) this).array(), at, 1, grid.array(), grid.at(), count);
    int im = grid.at() + grid.shift();
    Arrays.fill(grid.array(), im, im + count, 0);
    return grid;
  }

  /**
   * Where rows are to be put, to be {@link #write written} then: at the place itself, if it can.
   */
  default FftGrid target(int at, int stride, int rows, int columns, FftWorkspace room) {
    return targetOf(FftWorkspace.Use.WRITTEN, at, stride, rows, columns, room);
  }

  /** The same; else in a plane that is free. */
  default FftGrid targetOf(
      FftWorkspace.Use use, int at, int stride, int rows, int columns, FftWorkspace room) {
    return switch (this) {
      case Planar(FftGrid grid) -> grid.behind(at).withStride(stride);
      case Stored _ -> room.grid(use, rows, columns);
    };
  }

  /** Writes rows that are in a plane, multiplied by a number. */
  default void write(FftGrid from, int at, int stride, int rows, int columns, double by) {
    if (this instanceof Stored(Object array)) {
      FftSteps.write(from, array, 2 * at, 2 * stride, rows, columns, by);
    }
  }

  /** Writes rows that lie in another plane. */
  default void copy(FftGrid from, int at, int stride, int rows, int columns, double by) {
    if (this instanceof Planar(FftGrid grid)) {
      from.copy(grid.behind(at).withStride(stride), rows, columns);
    } else {
      write(from, at, stride, rows, columns, by);
    }
  }

  /** Writes the real parts of a row. */
  default void writeReal(FftGrid from, int at, int columns, double by) {
    double[] parts = from.array();
    for (int i = 0; i < columns; i++) {
      parts[from.at() + i] *= by;
    }
    Doubles.write(ElementType.F64, parts, from.at(), ((Stored) this).array(), at, columns);
  }
}
