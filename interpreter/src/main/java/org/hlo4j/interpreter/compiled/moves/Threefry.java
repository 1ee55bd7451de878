package org.hlo4j.interpreter.compiled.moves;

/** Threefry 2x32-20 of Salmon et al. 2011, for many counters at once, four rounds a loop. */
final class Threefry {
  private static final int PARITY = 0x1BD11BDA;

  private Threefry() {}

  /** Words of counters from one on: the first of each in x, the second in y. */
  static void words(long counter, long key, int[] x, int[] y, int count) {
    int k0 = (int) key;
    int k1 = (int) (key >>> 32);
    int k2 = k0 ^ k1 ^ PARITY;
    for (int i = 0; i < count; i++) {
      x[i] = (int) (counter + i) + k0;
      y[i] = (int) ((counter + i) >>> 32) + k1;
    }
    evenRounds(x, y, count, k1, k2 + 1);
    oddRounds(x, y, count, k2, k0 + 2);
    evenRounds(x, y, count, k0, k1 + 3);
    oddRounds(x, y, count, k1, k2 + 4);
    evenRounds(x, y, count, k2, k0 + 5);
  }

  private static void evenRounds(int[] x, int[] y, int count, int addedToX, int addedToY) {
    for (int i = 0; i < count; i++) {
      int a = x[i];
      int b = y[i];
      a += b;
      b = Integer.rotateLeft(b, 13) ^ a;
      a += b;
      b = Integer.rotateLeft(b, 15) ^ a;
      a += b;
      b = Integer.rotateLeft(b, 26) ^ a;
      a += b;
      b = Integer.rotateLeft(b, 6) ^ a;
      x[i] = a + addedToX;
      y[i] = b + addedToY;
    }
  }

  private static void oddRounds(int[] x, int[] y, int count, int addedToX, int addedToY) {
    for (int i = 0; i < count; i++) {
      int a = x[i];
      int b = y[i];
      a += b;
      b = Integer.rotateLeft(b, 17) ^ a;
      a += b;
      b = Integer.rotateLeft(b, 29) ^ a;
      a += b;
      b = Integer.rotateLeft(b, 16) ^ a;
      a += b;
      b = Integer.rotateLeft(b, 24) ^ a;
      x[i] = a + addedToX;
      y[i] = b + addedToY;
    }
  }
}
