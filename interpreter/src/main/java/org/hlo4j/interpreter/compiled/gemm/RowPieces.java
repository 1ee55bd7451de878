package org.hlo4j.interpreter.compiled.gemm;

/**
 * Rows cut into pieces.
 *
 * @param total how many rows
 * @param unit what a piece has a multiple of, but for the last
 * @param count how many pieces
 */
public record RowPieces(int total, int unit, int count) {
  private static final int EVENLY = 4;

  /** Pieces of so many rows. */
  public static RowPieces of(int total, int rows) {
    return new RowPieces(total, rows, Math.ceilDiv(total, rows));
  }

  /** Pieces of nearly equal length, at most so long, and a number that threads can share. */
  static RowPieces even(int total, int unit, int most) {
    int units = Math.ceilDiv(total, unit);
    int pieces = Math.ceilDiv(units, Math.max(1, most / unit));
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

  int most() {
    return Math.ceilDiv(Math.ceilDiv(total, unit), count) * unit;
  }
}
