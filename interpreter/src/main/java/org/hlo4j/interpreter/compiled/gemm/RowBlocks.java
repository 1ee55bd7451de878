package org.hlo4j.interpreter.compiled.gemm;

/**
 * A partition of rows into blocks.
 *
 * @param total the number of rows
 * @param unit the number of which each block has a multiple of rows, except for the last one
 * @param count the number of blocks
 */
public record RowBlocks(int total, int unit, int count) {
  private static final int EVENLY = 4;

  /**
   * {@return blocks of nearly equal length, of at most {@code maxRows} rows, in a number that
   * threads can share evenly}
   */
  static RowBlocks balanced(int total, int unit, int maxRows) {
    int units = Math.ceilDiv(total, unit);
    int blocks = Math.ceilDiv(units, Math.max(1, maxRows / unit));
    int shared = blocks < EVENLY ? blocks + (blocks & 1) : Math.ceilDiv(blocks, EVENLY) * EVENLY;
    return new RowBlocks(total, unit, Math.min(units, blocks == 1 ? 1 : shared));
  }

  public int start(int block) {
    int units = Math.ceilDiv(total, unit);
    return (int) Math.min(total, (long) units * block / count * unit);
  }

  public int end(int block) {
    return start(block + 1);
  }

  int maxRows() {
    return Math.ceilDiv(Math.ceilDiv(total, unit), count) * unit;
  }
}
