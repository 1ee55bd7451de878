package org.hlo4j.hlo.source;

import com.google.common.primitives.Ints;

/** A search for the known name that is most similar to a misspelt one. */
public final class Nearest {
  private static final int LONGEST = 80;
  private static final int MAX_CANDIDATES = 10_000;

  private Nearest() {}

  /**
   * Returns the known name with the least edit distance, if at most a third of the letters are
   * wrong.
   *
   * @param name the name that is not known
   * @param known the names that are
   * @return the nearest, empty if none is near
   */
  public static String to(String name, Iterable<String> known) {
    String nearest = "";
    int least = Math.min(name.length(), Math.max(1, name.length() / 3) + 1);
    int candidates = 0;
    for (String candidate : known) {
      if (candidates++ == MAX_CANDIDATES) {
        break;
      }
      if (comparable(name, candidate, least)) {
        int distance = distance(name, candidate);
        if (distance < least) {
          least = distance;
          nearest = candidate;
        }
      }
    }
    return nearest;
  }

  private static boolean comparable(String name, String candidate, int least) {
    return candidate.length() <= LONGEST && Math.abs(candidate.length() - name.length()) < least;
  }

  /**
   * Returns the edit distance: the least number of letters to insert, delete or replace, or of
   * neighbours to swap.
   */
  static int distance(String from, String to) {
    int[][] least = new int[from.length() + 1][to.length() + 1];
    for (int i = 0; i <= from.length(); i++) {
      for (int j = 0; j <= to.length(); j++) {
        least[i][j] = i == 0 || j == 0 ? i + j : step(least, from, i, to, j);
      }
    }
    return least[from.length()][to.length()];
  }

  private static int step(int[][] least, String from, int i, String to, int j) {
    int change = least[i - 1][j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
    boolean isSwap =
        i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1);
    int swap = isSwap ? least[i - 2][j - 2] + 1 : change;
    return Ints.min(change, swap, least[i - 1][j] + 1, least[i][j - 1] + 1);
  }
}
