package org.hlo4j.interpreter.compiled.reduce;

/** What the lanes of a vector hold while blocks of rows are reduced. */
enum Lanes {
  /** Elements of one row, which are contiguous. */
  ELEMENTS(" contiguous"),
  /**
   * The same element of neighbouring rows. Rows are transposed into tiles unless neighbouring ones
   * are already contiguous.
   */
  ROWS(" one per lane"),
  /** Nothing: rows are too few or too short for any preparation. */
  NONE(", each in one loop");

  /** How rows are reduced, for the description of a kernel. */
  final String description;

  Lanes(String description) {
    this.description = description;
  }
}
