package org.hlo4j.interpreter.compiled.fft;

import java.util.ArrayList;
import java.util.List;

/** The lengths of transforms and their factors. */
final class Lengths {
  private static final int[] PRIMES = {3, 5, 7, 11, 13};
  private static final int[] SMALL_PRIMES = {2, 3, 5, 7};
  private static final int MIN_SIDE = 8;
  private static final int VECTOR = 8;
  private static final int EIGHT = 8;

  private Lengths() {}

  /** Returns whether there are butterflies for all prime factors of a length. */
  static boolean isSmooth(int length) {
    return cofactor(length >> Integer.numberOfTrailingZeros(length), PRIMES) == 1;
  }

  private static int cofactor(int length, int... primes) {
    int left = length;
    for (int prime : primes) {
      while (left % prime == 0) {
        left /= prime;
      }
    }
    return left;
  }

  /** Returns the radices of the butterflies of a length, in the order of the steps. */
  static List<Integer> radices(int length) {
    List<Integer> radices = new ArrayList<>();
    int twos = Integer.numberOfTrailingZeros(length);
    for (; twos >= 3 && twos != 4; twos -= 3) {
      radices.add(EIGHT);
    }
    for (; twos >= 2; twos -= 2) {
      radices.add(4);
    }
    if (twos == 1) {
      radices.add(2);
    }
    int left = length >> Integer.numberOfTrailingZeros(length);
    for (int prime : PRIMES) {
      for (; left % prime == 0; left /= prime) {
        radices.add(prime);
      }
    }
    if (radices.isEmpty()) {
      radices.add(1);
    }
    return radices;
  }

  /**
   * Returns the number of rows of the matrix as which a line is cheapest to transform, or 0 if
   * there is none.
   */
  static int rows(int length) {
    int best = 0;
    long least = Long.MAX_VALUE;
    for (int rows = MIN_SIDE; (long) rows * rows <= length; rows++) {
      if (length % rows == 0) {
        int columns = length / rows;
        long cost = cost(rows, columns) + cost(columns, rows);
        if (cost < least) {
          least = cost;
          best = rows;
        }
      }
    }
    return best;
  }

  /**
   * Estimates a cost: the number of steps times that of vectors, and more for a matrix that is far
   * from square, since square matrices stay in the cache.
   */
  private static long cost(int length, int columns) {
    long vectors = Math.ceilDiv(columns, VECTOR);
    long far = Math.max(1, length / Math.max(1, columns));
    return (8L * radices(length).size() + Long.numberOfTrailingZeros(Long.highestOneBit(far)))
        * length
        * vectors;
  }

  /** Returns the smallest length, {@code least} or more, that is quick to transform. */
  static int nextFastLength(int least) {
    int step = least > 64 ? 64 : 1;
    int length = Math.ceilDiv(least, step) * step;
    while (cofactor(length, SMALL_PRIMES) != 1) {
      length += step;
    }
    return length;
  }
}
