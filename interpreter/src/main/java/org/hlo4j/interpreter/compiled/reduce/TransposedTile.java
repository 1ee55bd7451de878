package org.hlo4j.interpreter.compiled.reduce;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.copy.BoxCopy;

/**
 * Transposes rows: element j of row i where element i of row j would be, such rows so far apart;
 * and back. Either in full, or as many rows as are left in the end.
 */
final class TransposedTile {
  private final BoxCopy all;
  private final BoxCopy rest;
  private final int rows;

  private TransposedTile(BoxCopy all, BoxCopy rest, int rows) {
    this.all = all;
    this.rest = rest;
    this.rows = rows;
  }

  /**
   * Transposes rows.
   *
   * @param type the type of the elements
   * @param rows how many rows
   * @param left how many rows in the end
   * @param depth how many elements each has
   * @param rowStride how far rows are apart
   * @param elementStride how far elements of a row are apart
   * @param pitch how far they are to be
   */
  static TransposedTile contiguous(
      ElementType type,
      int rows,
      int left,
      int depth,
      int rowStride,
      int elementStride,
      int pitch) {
    int[] from = {elementStride, rowStride};
    int[] to = {pitch, 1};
    return new TransposedTile(
        BoxCopy.of(type, new int[] {depth, rows}, from, to),
        BoxCopy.of(type, new int[] {depth, left}, from, to),
        rows);
  }

  /** Transposes back. */
  static TransposedTile behind(ElementType type, int rows, int left, int depth, int pitch) {
    int[] from = {1, pitch};
    int[] to = {depth, 1};
    return new TransposedTile(
        BoxCopy.of(type, new int[] {rows, depth}, from, to),
        BoxCopy.of(type, new int[] {left, depth}, from, to),
        rows);
  }

  /** Copies so many rows, whose first element lies at f, to t. */
  void run(int count, Object from, int f, Object to, int t) {
    (count == rows ? all : rest).run(from, f, to, t);
  }
}
