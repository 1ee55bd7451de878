package org.hlo4j.interpreter.compiled.copy;

/**
 * Copies of parts of matrices with any strides. Transposes go by square blocks in vector registers
 * once C2 has compiled them.
 */
public final class StridedCopy {
  private StridedCopy() {}

  /**
   * Computes {@code to[t + r * toRow + c * toColumn] = from[f + r * fromRow + c * fromColumn]} for
   * all r and c, on the caller's thread.
   *
   * @param from the source array
   * @param f the first element of the part in the source
   * @param fromRow the distance in the source of elements of neighbouring rows
   * @param fromColumn the distance in the source of elements of neighbouring columns
   * @param to the destination, an array of the same kind
   * @param t the first element of the part in the destination
   * @param toRow the distance in the destination of elements of neighbouring rows
   * @param toColumn the distance in the destination of elements of neighbouring columns
   * @param rows the number of rows
   * @param columns the number of columns
   */
  public static void run(
      Object from,
      int f,
      int fromRow,
      int fromColumn,
      Object to,
      int t,
      int toRow,
      int toColumn,
      int rows,
      int columns) {
    if (Math.abs(toColumn) > Math.abs(toRow)) {
      run(from, f, fromColumn, fromRow, to, t, toColumn, toRow, columns, rows);
      return;
    }
    boolean isRun = fromColumn == 1 && toColumn == 1;
    int run = isRun ? columns : 1;
    int count = isRun ? 1 : columns;
    CopyGrid grid = new CopyGrid(rows, count, run, fromRow, fromColumn, toRow, toColumn);
    CellCopies.of(from.getClass().componentType()).copy(grid, rows, count, run, from, f, to, t);
  }
}
