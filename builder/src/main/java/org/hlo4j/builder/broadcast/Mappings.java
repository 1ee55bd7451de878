package org.hlo4j.builder.broadcast;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.builder.BroadcastPolicy.Operand;
import org.hlo4j.hlo.Dims;

/** Finds the strictly increasing ways to lay one operand onto dimensions of another. */
final class Mappings {
  private static final int MAX_STEPS = 10_000;

  /** Whether two sizes go together. */
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

  /** The first ways, one more than {@code most} at most; gives up after a bounded effort. */
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
