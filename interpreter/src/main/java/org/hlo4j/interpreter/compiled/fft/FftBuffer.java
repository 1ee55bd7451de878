package org.hlo4j.interpreter.compiled.fft;

import java.util.Arrays;
import java.util.function.BiConsumer;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Doubles;

/** The numbers that a pass reads or writes: a literal's storage, or a plane. */
sealed interface FftBuffer {
  /** The numbers that a thread converts at a time, of contiguous rows. */
  int CHUNK = 1 << 14;

  /** The array of a literal: real parts, each followed by its imaginary part, or real numbers. */
  record LiteralBuffer(Object array) implements FftBuffer {}

  /** A plane of intermediate results. */
  record Planar(FftGrid grid) implements FftBuffer {}

  /**
   * Some rows of numbers of a buffer.
   *
   * @param at the index of the first number of the first row
   * @param stride the distance between the starts of two rows, in numbers
   */
  record Part(int at, int stride, int rows, int columns) {
    /** Returns contiguous rows, from row {@code first} on. */
    static Part ofRows(int first, int rows, int columns) {
      return new Part(first * columns, columns, rows, columns);
    }

    /**
     * Does some work for this part, given the index in it of the first number. Threads share the
     * work if it is on a grid with contiguous rows as well.
     */
    private void share(FftGrid grid, FftWorkspace workspace, BiConsumer<Integer, Part> work) {
      boolean isWhole = stride == columns && grid.stride() == columns;
      int count = isWhole ? rows * columns : columns;
      workspace.share(
          count,
          isWhole ? CHUNK : count,
          (own, first, end) ->
              work.accept(first, new Part(at + first, stride, isWhole ? 1 : rows, end - first)));
    }
  }

  /** Returns rows as a grid: a view of the plane, or a copy of the literal's numbers. */
  default FftGrid read(Part part, FftWorkspace workspace) {
    FftGrid to = target(FftWorkspace.Purpose.READ, part, workspace);
    if (this instanceof LiteralBuffer(Object array)) {
      part.share(to, workspace, (first, some) -> TieredFftStep.read(array, some, to.offset(first)));
    }
    return to;
  }

  /** Returns a copy of rows of real numbers as a grid whose imaginary parts are 0. */
  default FftGrid readReal(Part part, FftWorkspace workspace) {
    FftGrid to = workspace.grid(FftWorkspace.Purpose.READ, part.rows, part.columns);
    int count = part.rows * part.columns;
    Object array = ((LiteralBuffer) this).array();
    Doubles.read(ElementType.F64, array, part.at, to.array(), to.at(), count);
    int im = to.at() + to.shift();
    Arrays.fill(to.array(), im, im + count, 0);
    return to;
  }

  /**
   * Returns the grid to compute rows into, before they are {@link #write written}: a view of the
   * plane itself, or a buffer.
   */
  default FftGrid target(FftWorkspace.Purpose purpose, Part part, FftWorkspace workspace) {
    return switch (this) {
      case Planar(FftGrid grid) -> grid.offset(part.at).withStride(part.stride);
      case LiteralBuffer _ -> workspace.grid(purpose, part.rows, part.columns);
    };
  }

  /**
   * Writes rows that were computed into their {@link #target}. In a literal, they are multiplied by
   * {@code by}. In a plane, they are in place already.
   */
  default void write(FftGrid from, Part part, double by, FftWorkspace workspace) {
    if (this instanceof LiteralBuffer(Object array)) {
      part.share(
          from,
          workspace,
          (first, some) -> TieredFftStep.write(from.offset(first), array, some, by));
    }
  }

  /**
   * Writes rows that were computed into another grid. In a literal, they are multiplied by {@code
   * by}.
   */
  default void copy(FftGrid from, Part part, double by, FftWorkspace workspace) {
    if (this instanceof Planar(FftGrid grid)) {
      from.copy(grid.offset(part.at).withStride(part.stride), part.rows, part.columns);
    } else {
      write(from, part, by, workspace);
    }
  }

  /** Writes the real parts of rows, multiplied by {@code by}. */
  default void writeReal(FftGrid from, Part part, double by) {
    double[] parts = from.array();
    int count = part.rows * part.columns;
    for (int i = from.at(); i < from.at() + count; i++) {
      parts[i] *= by;
    }
    Object array = ((LiteralBuffer) this).array();
    Doubles.write(ElementType.F64, parts, from.at(), array, part.at, count);
  }
}
