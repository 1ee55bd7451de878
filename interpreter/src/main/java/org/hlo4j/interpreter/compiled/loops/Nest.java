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
final class Nest {
  private final ImmutableLongArray counts;
  private final Map<Affine, Affine> collapsed = new HashMap<>();
  private final int loopsBefore;

  Nest(Part part) {
    this(part, part.domain().loops() - 1);
  }

  /** Loops of which the innermost is that of the part. */
  static Nest ofRows(Part part) {
    return new Nest(part, part.domain().loops() - 2);
  }

  /** Loops from a number on stay apart. */
  private Nest(Part part, int joined) {
    Domain domain = part.domain();
    Set<Affine> positions = new LinkedHashSet<>();
    positions.add(domain.position());
    for (int value = 0; value < part.values().size(); value++) {
      positions.add(part.position(value));
    }
    Set<Node> seen = new LinkedHashSet<>();
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

  private static void addPositions(Node node, Set<Affine> positions, Set<Node> seen) {
    if (!seen.add(node)) {
      return;
    }
    switch (node) {
      case Node.Read read -> positions.add(read.position());
      case Node.Count counting -> positions.add(counting.value());
      case Node.Immediate immediate -> {}
      case Node.Apply apply ->
          apply.operands().forEach(operand -> addPositions(operand, positions, seen));
    }
  }

  private static boolean goesOn(Set<Affine> positions, int loop, long innerCount) {
    return positions.stream()
        .allMatch(p -> p.coefficient(loop) == p.coefficient(loop + 1) * innerCount);
  }

  private Affine collapse(Affine position, List<Integer> kept) {
    Affine next = Affine.constant(position.base());
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
  Affine position(Affine ofPart) {
    Affine position = collapsed.get(ofPart);
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

  /** How far a position of these loops moves with each turn of the innermost loop. */
  long innerStride(Affine position) {
    return position.coefficient(loops() - 1);
  }

  /** How far it moves with each turn of the loop around it; 0 if there is none. */
  long rowStride(Affine position) {
    return loops() == 1 ? 0 : position.coefficient(loops() - 2);
  }
}
