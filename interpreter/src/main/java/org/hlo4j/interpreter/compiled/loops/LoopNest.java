package org.hlo4j.interpreter.compiled.loops;

import com.google.common.primitives.ImmutableLongArray;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The loops of a part, as few as can be: two neighbours become one where every position goes on
 * from the end of a row to the start of the next as if there were no rows.
 */
final class LoopNest {
  private final ImmutableLongArray counts;
  private final Map<AffineIndex, AffineIndex> collapsed = new HashMap<>();
  private final int loopsBefore;

  LoopNest(OutputRegion part) {
    this(part, part.domain().loops() - 1);
  }

  /** Loops of which the innermost is that of the part. */
  static LoopNest ofRows(OutputRegion part) {
    return new LoopNest(part, part.domain().loops() - 2);
  }

  /** Loops from a number on stay apart. */
  private LoopNest(OutputRegion part, int joined) {
    IterationSpace domain = part.domain();
    Set<AffineIndex> positions = new LinkedHashSet<>();
    positions.add(domain.position());
    for (int value = 0; value < part.values().size(); value++) {
      positions.add(part.position(value));
    }
    Set<LoopNode> seen = new LinkedHashSet<>();
    part.values().forEach(value -> addPositions(value, positions, seen));
    loopsBefore = domain.loops();
    List<Integer> kept = new ArrayList<>();
    ImmutableLongArray.Builder merged = ImmutableLongArray.builder();
    long count = 1;
    for (int c = 0; c < domain.loops(); c++) {
      count *= domain.counts().get(c);
      if (c >= joined || !goesOn(positions, c, domain.counts().get(c + 1))) {
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

  private static void addPositions(LoopNode node, Set<AffineIndex> positions, Set<LoopNode> seen) {
    if (!seen.add(node)) {
      return;
    }
    switch (node) {
      case LoopNode.Read read -> positions.add(read.position());
      case LoopNode.Count counting -> positions.add(counting.value());
      case LoopNode.Immediate immediate -> {}
      case LoopNode.Apply apply ->
          apply.operands().forEach(operand -> addPositions(operand, positions, seen));
    }
  }

  private static boolean goesOn(Set<AffineIndex> positions, int loop, long innerCount) {
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

  /** How often each loop runs, outermost first; one loop at least. */
  ImmutableLongArray counts() {
    return counts;
  }

  /** A position of the part in terms of these loops, and behind them the starts. */
  AffineIndex position(AffineIndex ofPart) {
    AffineIndex position = collapsed.get(ofPart);
    if (position == null) {
      throw new IllegalArgumentException(ofPart + " is no position of the part");
    }
    return position;
  }

  int loops() {
    return counts.length();
  }

  /** How often the innermost loop runs. */
  long innerCount() {
    return counts.get(loops() - 1);
  }

  /** How often the innermost loop is begun. */
  long rows() {
    return counts.stream().limit(loops() - 1).reduce(1, (a, b) -> a * b);
  }

  /** How far a position of these loops moves with each iteration of the innermost loop. */
  long innerStride(AffineIndex position) {
    return position.coefficient(loops() - 1);
  }

  /** How far it moves with each iteration of the loop around it; 0 if there is none. */
  long rowStride(AffineIndex position) {
    return loops() == 1 ? 0 : position.coefficient(loops() - 2);
  }
}
