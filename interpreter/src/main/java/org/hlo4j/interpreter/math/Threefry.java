package org.hlo4j.interpreter.math;

/**
 * The Threefry 2x32-20 generator of Salmon et al. 2011: 64 random bits for each counter and key.
 */
public final class Threefry {
  private static final int ROUNDS = 20;
  private static final int[] ROTATIONS = {13, 15, 26, 6, 17, 29, 16, 24};
  private static final int PARITY = 0x1BD11BDA;

  private Threefry() {}

  /** Returns two words of 32 bits. */
  public static int[] words(long counter, long key) {
    int[] keys = {(int) key, (int) (key >>> 32), (int) key ^ (int) (key >>> 32) ^ PARITY};
    int x0 = (int) counter + keys[0];
    int x1 = (int) (counter >>> 32) + keys[1];
    for (int round = 1; round <= ROUNDS; round++) {
      x0 += x1;
      x1 = Integer.rotateLeft(x1, ROTATIONS[(round - 1) % ROTATIONS.length]) ^ x0;
      if (round % 4 == 0) {
        int injection = round / 4;
        x0 += keys[injection % 3];
        x1 += keys[(injection + 1) % 3] + injection;
      }
    }
    return new int[] {x0, x1};
  }
}
