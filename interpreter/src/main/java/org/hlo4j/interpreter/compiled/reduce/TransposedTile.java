package org.hlo4j.interpreter.compiled.reduce;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.copy.BoxCopy;

/**
 * A transpose between rows and a tile: element j of row i is element i of row j of the tile, whose
 * rows have the stride {@code pitch}. There is one copy for full blocks of rows and one for the
 * last, shorter block.
 */
final class TransposedTile {
  private final BoxCopy fullBlockCopy;
  private final BoxCopy lastBlockCopy;
  private final int rows;

  private TransposedTile(BoxCopy fullBlockCopy, BoxCopy lastBlockCopy, int rows) {
    this.fullBlockCopy = fullBlockCopy;
    this.lastBlockCopy = lastBlockCopy;
    this.rows = rows;
  }

  /**
   * Returns a transpose of rows into a tile.
   *
   * @param type the type of the elements
   * @param rows the number of rows in a full block
   * @param lastBlockRows the number of rows in the last block
   * @param depth the number of elements in a row
   * @param rowStride the stride of the rows
   * @param elementStride the stride of the elements of a row
   * @param pitch the stride of the elements of a row in the tile
   */
  static TransposedTile toTile(
      ElementType type,
      int rows,
      int lastBlockRows,
      int depth,
      int rowStride,
      int elementStride,
      int pitch) {
    Dims from = Dims.of(elementStride, rowStride);
    Dims to = Dims.of(pitch, 1);
    return new TransposedTile(
        BoxCopy.of(type, Dims.of(depth, rows), from, to),
        BoxCopy.of(type, Dims.of(depth, lastBlockRows), from, to),
        rows);
  }

  /** Returns a transpose of a tile back into dense rows. */
  static TransposedTile toRows(
      ElementType type, int rows, int lastBlockRows, int depth, int pitch) {
    Dims from = Dims.of(1, pitch);
    Dims to = Dims.of(depth, 1);
    return new TransposedTile(
        BoxCopy.of(type, Dims.of(rows, depth), from, to),
        BoxCopy.of(type, Dims.of(lastBlockRows, depth), from, to),
        rows);
  }

  /** Transposes {@code count} rows, from index {@code f} to index {@code t}. */
  void run(int count, Object from, int f, Object to, int t) {
    (count == rows ? fullBlockCopy : lastBlockCopy).run(from, f, to, t);
  }
}
