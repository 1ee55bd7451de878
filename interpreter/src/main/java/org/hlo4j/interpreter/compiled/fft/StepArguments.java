package org.hlo4j.interpreter.compiled.fft;

/** Which number says what, of those a {@link FftStep} is given. */
final class StepArguments {
  /** The row to begin with: 0. */
  static final int ROW = 0;

  /** How many rows there are. */
  static final int ROWS = 1;

  /** How many numbers a row has: a multiple of the width of vectors. */
  static final int COLUMNS = 2;

  /** Where the first row is read. */
  static final int FROM = 3;

  /** How far behind it the next one is. */
  static final int FROM_ROW = 4;

  /** How far apart the parts of a row are that are read together. */
  static final int FROM_PART = 5;

  /** Where the first row is written. */
  static final int TO = 6;

  /** How far behind it the next one is. */
  static final int TO_ROW = 7;

  /** How far apart the parts of a row are that are written together. */
  static final int TO_PART = 8;

  /** Where factors begin. */
  static final int FACTOR = 9;

  /** How far behind the factors of a row those of the next one are. */
  static final int FACTOR_ROW = 10;

  /** How far apart those of parts of a row are. */
  static final int FACTOR_PART = 11;

  /** How far behind a real part that is read its imaginary part lies. */
  static final int FROM_SHIFT = 12;

  /** The same of what is written. */
  static final int TO_SHIFT = 13;

  /** The same of factors. */
  static final int FACTOR_SHIFT = 14;

  /** How many there are. */
  static final int COUNT = 15;

  private StepArguments() {}

  /** For so many rows and columns; all else is 0. */
  static int[] of(int rows, int columns) {
    int[] places = new int[COUNT];
    places[ROWS] = rows;
    places[COLUMNS] = columns;
    return places;
  }
}
