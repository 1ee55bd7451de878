package org.hlo4j.interpreter.compiled.loops;

import static java.util.Objects.requireNonNull;

import com.google.common.primitives.ImmutableLongArray;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.interpreter.compiled.index.AffineIndex;
import org.hlo4j.interpreter.compiled.index.IterationSpace;

/**
 * The loops over a region, as few as possible. Two adjacent loops are collapsed into one if, for
 * every position that is read or written, the stride of the outer loop is the stride of the inner
 * loop times its number of iterations.
 */
final class LoopNest {
  private final ImmutableLongArray counts;
  private final Map<AffineIndex, AffineIndex> collapsed = new HashMap<>();
  private final int loopsBefore;

  LoopNest(OutputRegion part) {
    this(part, part.domain().loops() - 1);
  }

  /** Returns a nest that keeps the innermost loop of the region. */
  static LoopNest ofRows(OutputRegion part) {
    return new LoopNest(part, part.domain().loops() - 2);
  }

  /**
   * Creates a nest in which only loops before number {@code joined} are collapsed with the next
   * one.
   */
  private LoopNest(OutputRegion part, int joined) {
    IterationSpace domain = part.domain();
    Set<AffineIndex> positions = new LinkedHashSet<>();
    positions.add(domain.position());
    for (int value = 0; value < part.values().size(); value++) {
      positions.add(part.position(value));
    }
    for (LoopNode node : LoopNode.all(part.values())) {
      switch (node) {
        case LoopNode.Read read -> positions.add(read.position());
        case LoopNode.Count counting -> positions.add(counting.value());
        case LoopNode.Immediate _, LoopNode.Apply _, LoopNode.Reduced _ -> {}
      }
    }
    loopsBefore = domain.loops();
    List<Integer> kept = new ArrayList<>();
    ImmutableLongArray.Builder merged = ImmutableLongArray.builder();
    long count = 1;
    for (int c = 0; c < domain.loops(); c++) {
      count *= domain.counts().get(c);
      if (c >= joined || !isCollapsible(positions, c, domain.counts().get(c + 1))) {
        kept.add(c);
        merged.add(count);
        count = 1;
      }
    }
    if (kept.isEmpty()) {
      merged.add(1);
    }
    counts = merged.build();
    positions.forEach(position -> collapsed.put(position, collapse(position, kept)));
  }

  private static boolean isCollapsible(Set<AffineIndex> positions, int loop, long innerCount) {
    return positions.stream()
        .allMatch(p -> p.coefficient(loop) == p.coefficient(loop + 1) * innerCount);
  }

  private AffineIndex collapse(AffineIndex position, List<Integer> kept) {
    AffineIndex next = AffineIndex.constant(position.base());
    for (int i = 0; i < kept.size(); i++) {
      next = next.with(i, position.coefficient(kept.get(i)));
    }
    for (int c = loopsBefore; c < position.counters(); c++) {
      next = next.with(counts.length() + c - loopsBefore, position.coefficient(c));
    }
    return next;
  }

  /** Returns the number of iterations of each loop, outermost first. There is at least one loop. */
  ImmutableLongArray counts() {
    return counts;
  }

  /**
   * Returns a position of the region as a function of the counters of this nest, which are followed
   * by the start indices.
   */
  AffineIndex position(AffineIndex ofPart) {
    return requireNonNull(collapsed.get(ofPart), () -> ofPart + " is no position of the part");
  }

  int loops() {
    return counts.length();
  }

  /** Returns the number of iterations of the innermost loop. */
  long innerCount() {
    return counts.get(loops() - 1);
  }

  /** Returns how many times the innermost loop is run. */
  long rows() {
    return counts.stream().limit(loops() - 1).reduce(1, (a, b) -> a * b);
  }

  /** Returns the stride of a position of this nest in the innermost loop. */
  long innerStride(AffineIndex position) {
    return position.coefficient(loops() - 1);
  }

  /** Returns its stride in the loop around the innermost one; 0 if there is none. */
  long rowStride(AffineIndex position) {
    return loops() == 1 ? 0 : position.coefficient(loops() - 2);
  }
}
