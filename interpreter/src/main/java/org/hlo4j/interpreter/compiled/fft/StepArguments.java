package org.hlo4j.interpreter.compiled.fft;

/** The indices of the arguments of an {@link FftStep}: sizes, offsets and strides. */
final class StepArguments {
  /** The first row: 0. */
  static final int ROW = 0;

  /** The number of rows. */
  static final int ROWS = 1;

  /** The number of columns: a multiple of the vector width. */
  static final int COLUMNS = 2;

  /** The index of the first row that is read. */
  static final int FROM = 3;

  /** The distance between two rows that are read. */
  static final int FROM_ROW = 4;

  /**
   * The distance between the parts of a row that are read together. For {@link MirroringCode}, the
   * index of the number opposite to the first one.
   */
  static final int FROM_PART = 5;

  /** The index of the first row that is written. */
  static final int TO = 6;

  /** The distance between two rows that are written. */
  static final int TO_ROW = 7;

  /** The distance between the parts of a row that are written together. */
  static final int TO_PART = 8;

  /** The index of the first factor. */
  static final int FACTOR = 9;

  /** The distance between the factors of two rows. */
  static final int FACTOR_ROW = 10;

  /** The distance between the factors of two parts of a row. */
  static final int FACTOR_PART = 11;

  /** The distance from a real part that is read to its imaginary part. */
  static final int FROM_SHIFT = 12;

  /** The distance from a real part that is written to its imaginary part. */
  static final int TO_SHIFT = 13;

  /** The distance from the real part of a factor to its imaginary part. */
  static final int FACTOR_SHIFT = 14;

  /** The number of arguments. */
  static final int COUNT = 15;

  private StepArguments() {}

  /** Returns arguments with {@code rows} rows and {@code columns} columns. All others are 0. */
  static int[] of(int rows, int columns) {
    int[] arguments = new int[COUNT];
    arguments[ROWS] = rows;
    arguments[COLUMNS] = columns;
    return arguments;
  }
}
