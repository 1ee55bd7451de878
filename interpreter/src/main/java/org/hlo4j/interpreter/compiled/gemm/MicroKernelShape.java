package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.compiled.codegen.VectorClass;

/**
 * The parameters of a micro-kernel. Each combination has a generated class of its own.
 *
 * @param accumulatorType the type of the elements
 * @param lanes the number of elements of a vector
 * @param rows the number of rows of a; 0 for a kernel that copies rows of vectors, see {@link
 *     RowCopyCode}
 * @param vectors the number of vectors of a row of the panel
 * @param stepStride the stride of the elements of a row of a; 0 if it is an argument or if a table
 *     has their offsets
 * @param isPacked whether the rows of b are stored one after another; otherwise their stride is an
 *     argument
 * @param isLanewise whether a column of the result depends on that column of a alone, and columns
 *     have the same offsets in a as in b; otherwise it is a matrix product
 * @param columns the number of columns of b that a lane-wise kernel reads in each step, stored one
 *     after another, so that each row of a yields as many rows of the result; otherwise 1
 * @param continues whether the sums continue those in c, if the kernel is to add, and are not added
 *     to them at the end
 * @param window the number of steps that one step of the kernel computes; see {@link #withWindow}
 */
record MicroKernelShape(
    AccumulatorType accumulatorType,
    int lanes,
    int rows,
    int vectors,
    int stepStride,
    boolean isPacked,
    boolean isLanewise,
    int columns,
    boolean continues,
    int window) {
  MicroKernelShape(
      AccumulatorType accumulatorType,
      int lanes,
      int rows,
      int vectors,
      int stepStride,
      boolean isPacked,
      boolean isLanewise,
      int columns) {
    this(
        accumulatorType, lanes, rows, vectors, stepStride, isPacked, isLanewise, columns, false, 1);
  }

  /** {@return the width of the panel} */
  int width() {
    return vectors * lanes;
  }

  /** {@return the field of the vector class that holds the species} */
  String species() {
    return VectorClass.species(lanes * accumulatorType.bits());
  }

  /** {@return the number of accumulators, each of a vector} */
  int accumulatorCount() {
    return rows * columns * vectors;
  }

  /** {@return whether the offsets of the steps in a are in a table} */
  boolean hasTable() {
    return isLanewise && !isPacked;
  }

  boolean isCopy() {
    return rows == 0;
  }

  /** {@return the shape with other numbers of rows and vectors} */
  MicroKernelShape withRowsAndVectors(int rows, int vectors) {
    return new MicroKernelShape(
            accumulatorType, lanes, rows, vectors, stepStride, isPacked, isLanewise, columns)
        .withWindow(window);
  }

  /** {@return the lane-wise shape with other numbers of rows and columns} */
  MicroKernelShape withRowsAndColumns(int rows, int columns) {
    return new MicroKernelShape(
        accumulatorType, lanes, rows, vectors, stepStride, isPacked, isLanewise, columns);
  }

  /** {@return the shape of a kernel that reads b in place and continues sums} */
  MicroKernelShape inPlace() {
    return new MicroKernelShape(
        accumulatorType, lanes, rows, vectors, stepStride, false, isLanewise, columns, true, 1);
  }

  /**
   * {@return the shape of a lane-wise kernel with a table, each step of which is a window of {@code
   * size} steps} Their stride, in a and in b, is the stride of the rows of a, so that rows share
   * elements of a.
   */
  MicroKernelShape withWindow(int size) {
    return new MicroKernelShape(
        accumulatorType,
        lanes,
        rows,
        vectors,
        stepStride,
        isPacked,
        isLanewise,
        columns,
        continues,
        size);
  }

  /** {@return the shape of a kernel that copies rows of the width of the panel} */
  MicroKernelShape copier() {
    return new MicroKernelShape(accumulatorType, lanes, 0, vectors, 0, true, false, 1);
  }
}
