package org.hlo4j.interpreter.compiled.dots;

/**
 * Steps cut into blocks of nearly equal length. How depends on their number only, as do the bits of
 * the result.
 *
 * @param total how many steps
 * @param size how many a block has, the last one perhaps fewer
 */
record Blocks(int total, int size) {
  /** One block of no steps stores zeros. */
  static Blocks of(int total) {
    int count = Math.max(1, Math.ceilDiv(total, Numbers.STEPS));
    return new Blocks(total, Math.max(1, Math.ceilDiv(total, count)));
  }

  int count() {
    return Math.max(1, Math.ceilDiv(total, size));
  }

  int start(int block) {
    return block * size;
  }

  int end(int block) {
    return Math.min(total, start(block) + size);
  }
}
