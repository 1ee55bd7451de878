package org.hlo4j.interpreter.compiled.copy;

/**
 * Transposes of parts of matrices, by square blocks in vector registers once C2 has compiled them.
 */
public final class Transposition {
  private Transposition() {}

  /**
   * Computes {@code to[t + r * toRow + c] = from[f + r + c * fromColumn]} for all r and c, on the
   * caller's thread.
   */
  public static void run(
      Object from, int f, int fromColumn, Object to, int t, int toRow, int rows, int columns) {
    run(from, f, 1, fromColumn, to, t, toRow, rows, columns);
  }

  /**
   * Computes {@code to[t + r * toRow + c] = from[f + r * fromRow + c * fromColumn]} for all r and
   * c, on the caller's thread.
   *
   * @param from the source array
   * @param f the first element of the part in the source
   * @param fromRow the distance in the source of elements of neighbouring rows
   * @param fromColumn the distance in the source of elements that become contiguous
   * @param to the destination, an array of the same kind
   * @param t the first element of the part in the destination
   * @param toRow the distance in the destination of elements of neighbouring rows
   * @param rows the number of rows
   * @param columns the number of elements that are contiguous in the destination
   */
  public static void run(
      Object from,
      int f,
      int fromRow,
      int fromColumn,
      Object to,
      int t,
      int toRow,
      int rows,
      int columns) {
    CopyGrid grid = new CopyGrid(rows, columns, 1, fromRow, fromColumn, toRow, 1);
    CellCopies.of(from.getClass().componentType()).copy(grid, rows, columns, 1, from, f, to, t);
  }
}
