package org.hlo4j.builder.broadcast;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.builder.BroadcastPolicy.Operand;
import org.hlo4j.hlo.Dims;

/** An enumeration of the strictly increasing mappings of one operand to dimensions of another. */
final class Mappings {
  private static final int MAX_STEPS = 10_000;

  /** A test whether two sizes are compatible. */
  @FunctionalInterface
  interface Match {
    boolean test(long smaller, long larger);
  }

  static final Match EQUAL = (smaller, larger) -> smaller == larger;
  static final Match STRETCHING_SMALLER = (smaller, larger) -> smaller == larger || smaller == 1;
  static final Match EITHER_ONE =
      (smaller, larger) -> smaller == larger || smaller == 1 || larger == 1;

  private final Operand smaller;
  private final Operand larger;
  private final Match match;
  private final int most;
  private final List<Dims> found = new ArrayList<>();
  private int steps;

  private Mappings(Operand smaller, Operand larger, Match match, int most) {
    this.smaller = smaller;
    this.larger = larger;
    this.match = match;
    this.most = most;
  }

  /**
   * Returns the first mappings, at most {@code most} plus one; gives up after a bounded number of
   * steps.
   */
  static List<Dims> of(Operand smaller, Operand larger, Match match, int most) {
    Mappings search = new Mappings(smaller, larger, match, most);
    search.extend(Dims.of());
    return search.found;
  }

  private void extend(Dims prefix) {
    int i = prefix.count();
    if (i == smaller.rank()) {
      found.add(prefix);
      return;
    }
    int from = i == 0 ? 0 : prefix.getInt(i - 1) + 1;
    for (int to = from; to <= larger.rank() - (smaller.rank() - i); to++) {
      if (found.size() > most || ++steps > MAX_STEPS) {
        return;
      }
      if (match.test(smaller.size(i), larger.size(to))) {
        extend(prefix.inserted(i, to));
      }
    }
  }
}
