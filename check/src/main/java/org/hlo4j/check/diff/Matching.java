package org.hlo4j.check.diff;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.BiMap;
import com.google.common.collect.HashBiMap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ListMultimap;
import com.google.common.collect.Streams;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Stream;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;

/** The matching of the computations of two modules. */
final class Matching {
  private final HloModule first;
  private final HloModule second;
  private final Fingerprints strict = new Fingerprints(Fingerprints.Detail.ALL);
  private final BiMap<HloComputation, HloComputation> pairs = HashBiMap.create();
  private final Deque<HloComputation> pending = new ArrayDeque<>();
  private final List<InstructionMatching> matched = new ArrayList<>();

  Matching(HloModule first, HloModule second) {
    this.first = first;
    this.second = second;
  }

  ModuleDiff diff() {
    pair(first.entry(), second.entry());
    matchPending();
    pairSame();
    matchPending();
    return new ModuleDiff(
        Changes.ofAttributes(first.attributes(), second.attributes()),
        matched.stream().map(this::diff).collect(toImmutableList()),
        left(first, pairs.keySet()),
        left(second, pairs.values()));
  }

  private void matchPending() {
    while (!pending.isEmpty()) {
      HloComputation next = pending.remove();
      InstructionMatching matching =
          new InstructionMatching(next, pairs.getOrDefault(next, next), strict);
      matched.add(matching);
      pairCalled(matching, this::areSame);
      pairCalled(matching, (one, other) -> true);
    }
  }

  /** Pairs computations that are the same although no calls of them correspond. */
  private void pairSame() {
    ListMultimap<Integer, HloComputation> byNumber = ArrayListMultimap.create();
    left(first, pairs.keySet()).forEach(each -> byNumber.put(strict.of(each), each));
    for (HloComputation each : left(second, pairs.values())) {
      List<HloComputation> same = byNumber.get(strict.of(each));
      if (!same.isEmpty()) {
        pair(same.remove(0), each);
      }
    }
  }

  private void pair(HloComputation one, HloComputation other) {
    if (!pairs.containsKey(one) && !pairs.containsValue(other)) {
      pairs.put(one, other);
      pending.add(one);
    }
  }

  /** Pairs some of what matched instructions call, in order. */
  private void pairCalled(
      InstructionMatching matching, BiPredicate<HloComputation, HloComputation> isPaired) {
    for (HloInstruction one : matching.first().instructions()) {
      HloInstruction other = matching.pairs().get(one);
      Streams.forEachPair(
          one.called().stream(),
          other == null ? Stream.of() : other.called().stream(),
          (from, to) -> {
            if (isPaired.test(from, to)) {
              pair(from, to);
            }
          });
    }
  }

  private boolean correspond(HloComputation one, HloComputation other) {
    return pairs.get(one) == other || areSame(one, other);
  }

  private boolean areSame(HloComputation one, HloComputation other) {
    return strict.of(one) == strict.of(other);
  }

  private static ImmutableList<HloComputation> left(HloModule module, Set<HloComputation> matched) {
    return module.computations().stream()
        .filter(each -> !matched.contains(each))
        .collect(toImmutableList());
  }

  private ModuleDiff.ComputationDiff diff(InstructionMatching matching) {
    ImmutableList.Builder<ModuleDiff.Pair> same = ImmutableList.builder();
    ImmutableList.Builder<ModuleDiff.Pair> changed = ImmutableList.builder();
    for (HloInstruction one : matching.first().instructions()) {
      HloInstruction other = matching.pairs().get(one);
      if (other != null) {
        ImmutableList<ModuleDiff.Change> changes =
            Changes.of(one, other, matching, this::correspond);
        (changes.isEmpty() ? same : changed).add(new ModuleDiff.Pair(one, other, changes));
      }
    }
    return new ModuleDiff.ComputationDiff(
        matching.first(),
        matching.second(),
        same.build(),
        changed.build(),
        matching.unmatched(matching.first()),
        matching.unmatched(matching.second()));
  }
}
