package org.hlo4j.interpreter.compiled.gemm;

/**
 * A partition of rows into pieces.
 *
 * @param total the number of rows
 * @param unit the number of which each piece has a multiple of rows, except for the last one
 * @param count the number of pieces
 */
public record RowPieces(int total, int unit, int count) {
  private static final int EVENLY = 4;

  /**
   * {@return pieces of nearly equal length, of at most {@code maxRows} rows, in a number that
   * threads can share evenly}
   */
  static RowPieces balanced(int total, int unit, int maxRows) {
    int units = Math.ceilDiv(total, unit);
    int pieces = Math.ceilDiv(units, Math.max(1, maxRows / unit));
    int shared = pieces < EVENLY ? pieces + (pieces & 1) : Math.ceilDiv(pieces, EVENLY) * EVENLY;
    return new RowPieces(total, unit, Math.min(units, pieces == 1 ? 1 : shared));
  }

  public int start(int piece) {
    int units = Math.ceilDiv(total, unit);
    return (int) Math.min(total, (long) units * piece / count * unit);
  }

  public int end(int piece) {
    return start(piece + 1);
  }

  int maxRows() {
    return Math.ceilDiv(Math.ceilDiv(total, unit), count) * unit;
  }
}
