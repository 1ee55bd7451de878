package org.hlo4j.interpreter.compiled.random;

/** Philox 4x32-10 of Salmon et al. 2011, computed for many counters in one call. */
final class Philox {
  private static final int ROUNDS = 10;
  private static final long MULTIPLIER_0 = 0xD2511F53L;
  private static final long MULTIPLIER_1 = 0xCD9E8D57L;
  private static final int KEY_STEP_0 = 0x9E3779B9;
  private static final int KEY_STEP_1 = 0xBB67AE85;
  private static final long WORD_MASK = 0xFFFFFFFFL;

  private Philox() {}

  /**
   * Writes the four words of each counter, one counter after the other. The low half of counter
   * {@code i} is {@code low + block + i}; the high half is {@code high} plus the carry.
   */
  static void words(long low, long high, long block, long key, int[] words, int count) {
    for (int i = 0; i < count; i++) {
      long counter = low + block + i;
      long above = Long.compareUnsigned(counter, low) < 0 ? high + 1 : high;
      words(counter, above, key, words, 4 * i);
    }
  }

  private static void words(long low, long high, long key, int[] words, int at) {
    int c0 = (int) low;
    int c1 = (int) (low >>> 32);
    int c2 = (int) high;
    int c3 = (int) (high >>> 32);
    int key0 = (int) key;
    int key1 = (int) (key >>> 32);
    for (int round = 0; round < ROUNDS; round++) {
      long product0 = (c0 & WORD_MASK) * MULTIPLIER_0;
      long product1 = (c2 & WORD_MASK) * MULTIPLIER_1;
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
