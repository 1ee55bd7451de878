package org.hlo4j.interpreter.math;

/**
 * The Threefry 2x32-20 generator of Salmon et al. 2011: 64 random bits for each counter and key.
 * Each loop over the counters computes four rounds, so that C2 vectorizes it.
 */
public final class Threefry {
  private static final int PARITY = 0x1BD11BDA;
  private static final Rotations EVEN = new Rotations(13, 15, 26, 6);
  private static final Rotations ODD = new Rotations(17, 29, 16, 24);

  /** The rotations of a word, in bits, of four rounds. */
  private record Rotations(int first, int second, int third, int fourth) {}

  private Threefry() {}

  /** Returns two words of 32 bits. */
  public static int[] words(long counter, long key) {
    int[] x = new int[1];
    int[] y = new int[1];
    words(counter, key, x, y, 1);
    return new int[] {x[0], y[0]};
  }

  /**
   * Computes the two words of each of the counters {@code counter + i}: the first word into {@code
   * x[i]}, the second into {@code y[i]}.
   */
  public static void words(long counter, long key, int[] x, int[] y, int count) {
    int k0 = (int) key;
    int k1 = (int) (key >>> 32);
    int k2 = k0 ^ k1 ^ PARITY;
    for (int i = 0; i < count; i++) {
      x[i] = (int) (counter + i) + k0;
      y[i] = (int) ((counter + i) >>> 32) + k1;
    }
    fourRounds(x, y, count, EVEN, k1, k2 + 1);
    fourRounds(x, y, count, ODD, k2, k0 + 2);
    fourRounds(x, y, count, EVEN, k0, k1 + 3);
    fourRounds(x, y, count, ODD, k1, k2 + 4);
    fourRounds(x, y, count, EVEN, k2, k0 + 5);
  }

  private static void fourRounds(
      int[] x, int[] y, int count, Rotations by, int addedToX, int addedToY) {
    int first = by.first;
    int second = by.second;
    int third = by.third;
    int fourth = by.fourth;
    for (int i = 0; i < count; i++) {
      int a = x[i];
      int b = y[i];
      a += b;
      b = Integer.rotateLeft(b, first) ^ a;
      a += b;
      b = Integer.rotateLeft(b, second) ^ a;
      a += b;
      b = Integer.rotateLeft(b, third) ^ a;
      a += b;
      b = Integer.rotateLeft(b, fourth) ^ a;
      x[i] = a + addedToX;
      y[i] = b + addedToY;
    }
  }
}
