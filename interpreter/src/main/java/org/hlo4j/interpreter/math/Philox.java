package org.hlo4j.interpreter.math;

/** The Philox 4x32-10 generator of Salmon et al. 2011: 128 random bits for each counter and key. */
public final class Philox {
  private static final int ROUNDS = 10;
  private static final long MULTIPLIER_0 = 0xD2511F53L;
  private static final long MULTIPLIER_1 = 0xCD9E8D57L;
  private static final int KEY_STEP_0 = 0x9E3779B9;
  private static final int KEY_STEP_1 = 0xBB67AE85;
  private static final long WORD = 0xFFFFFFFFL;

  private Philox() {}

  /** Returns four words of 32 bits. */
  public static int[] words(long counterLow, long counterHigh, long key) {
    int[] words = new int[4];
    words(counterLow, counterHigh, key, words, 0);
    return words;
  }

  /** Writes four words of 32 bits, from an index on. */
  public static void words(long counterLow, long counterHigh, long key, int[] words, int at) {
    int c0 = (int) counterLow;
    int c1 = (int) (counterLow >>> 32);
    int c2 = (int) counterHigh;
    int c3 = (int) (counterHigh >>> 32);
    int key0 = (int) key;
    int key1 = (int) (key >>> 32);
    for (int round = 0; round < ROUNDS; round++) {
      long product0 = (c0 & WORD) * MULTIPLIER_0;
      long product1 = (c2 & WORD) * MULTIPLIER_1;
      c0 = (int) (product1 >>> 32) ^ c1 ^ key0;
      c1 = (int) product1;
      c2 = (int) (product0 >>> 32) ^ c3 ^ key1;
      c3 = (int) product0;
      key0 += KEY_STEP_0;
      key1 += KEY_STEP_1;
    }
    words[at] = c0;
    words[at + 1] = c1;
    words[at + 2] = c2;
    words[at + 3] = c3;
  }
}
