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
    int[] c = {
      (int) counterLow, (int) (counterLow >>> 32), (int) counterHigh, (int) (counterHigh >>> 32)
    };
    int key0 = (int) key;
    int key1 = (int) (key >>> 32);
    for (int round = 0; round < ROUNDS; round++) {
      long product0 = (c[0] & WORD) * MULTIPLIER_0;
      long product1 = (c[2] & WORD) * MULTIPLIER_1;
      c =
          new int[] {
            (int) (product1 >>> 32) ^ c[1] ^ key0,
            (int) product1,
            (int) (product0 >>> 32) ^ c[3] ^ key1,
            (int) product0
          };
      key0 += KEY_STEP_0;
      key1 += KEY_STEP_1;
    }
    return c;
  }
}
