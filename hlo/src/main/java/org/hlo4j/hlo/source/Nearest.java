package org.hlo4j.hlo.source;

/** The known name that a misspelt one may have meant. */
public final class Nearest {
  private static final int LONGEST = 80;
  private static final int MAX_CANDIDATES = 10_000;

  private Nearest() {}

  /**
   * The known name of least edit distance, if a third of the letters or fewer are wrong.
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

  /** Levenshtein: the least number of letters to insert, drop or change. */
  static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int change = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(change, 1 + Math.min(diagonal, row[j - 1]));
      }
    }
    return row[to.length()];
  }
}
