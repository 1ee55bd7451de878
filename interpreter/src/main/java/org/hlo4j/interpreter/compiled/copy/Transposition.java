package org.hlo4j.interpreter.compiled.copy;

/** Transposes parts of matrices, by squares in vector registers once these are compiled. */
public final class Transposition {
  private Transposition() {}

  /**
   * {@code to[t + r * toRow + c] = from[f + r + c * fromColumn]} for all r and c; on the caller's
   * thread.
   *
   * @param from an array
   * @param f where the part begins there
   * @param fromColumn how far apart lie what are to be neighbours
   * @param to another array of the same kind
   * @param t where the part begins there
   * @param toRow how far apart what were neighbours are to lie
   * @param rows how many were neighbours
   * @param columns how many are to be
   */
  public static void run(
      Object from, int f, int fromColumn, Object to, int t, int toRow, int rows, int columns) {
    CopyGrid grid = new CopyGrid(rows, columns, 1, 1, fromColumn, toRow, 1);
    CellCopies.of(from.getClass().componentType()).copy(grid, rows, columns, 1, from, f, to, t);
  }
}
