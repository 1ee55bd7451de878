package org.hlo4j.check.diff;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.BiMap;
import com.google.common.collect.HashBiMap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ListMultimap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;

/** The matching of the computations of two modules. */
final class Matching {
  private final HloModule first;
  private final HloModule second;
  private final Fingerprints strictFirst = new Fingerprints(Fingerprints.Detail.ALL);
  private final Fingerprints strictSecond = new Fingerprints(Fingerprints.Detail.ALL);
  private final BiMap<HloComputation, HloComputation> pairs = HashBiMap.create();
  private final Deque<Pairing> pending = new ArrayDeque<>();

  /** Two computations whose instructions are to be matched. */
  private record Pairing(HloComputation first, HloComputation second) {}

  Matching(HloModule first, HloModule second) {
    this.first = first;
    this.second = second;
  }

  ModuleDiff diff() {
    List<InstructionMatching> matched = new ArrayList<>();
    pair(first.entry(), second.entry());
    matchPending(matched);
    pairSame();
    matchPending(matched);
    return new ModuleDiff(
        Changes.ofAttributes(first.attributes(), second.attributes()),
        matched.stream().map(this::diff).collect(toImmutableList()),
        without(first, pairs.keySet()),
        without(second, pairs.values()));
  }

  private void matchPending(List<InstructionMatching> matched) {
    while (!pending.isEmpty()) {
      Pairing next = pending.remove();
      InstructionMatching matching =
          new InstructionMatching(next.first(), next.second(), strictFirst, strictSecond);
      matched.add(matching);
      pairCalled(matching);
    }
  }

  /** Pairs computations that are the same although no calls of them correspond. */
  private void pairSame() {
    ListMultimap<Long, HloComputation> left = ArrayListMultimap.create();
    for (HloComputation each : without(first, pairs.keySet())) {
      left.put(strictFirst.of(each), each);
    }
    for (HloComputation each : without(second, pairs.values())) {
      List<HloComputation> same = left.get(strictSecond.of(each));
      if (!same.isEmpty()) {
        pair(same.remove(0), each);
      }
    }
  }

  private void pair(HloComputation one, HloComputation other) {
    if (!pairs.containsKey(one) && !pairs.containsValue(other)) {
      pairs.put(one, other);
      pending.add(new Pairing(one, other));
    }
  }

  /** Pairs what matched instructions call: first what is the same, then the others, in order. */
  private void pairCalled(InstructionMatching matching) {
    for (boolean isSame : new boolean[] {true, false}) {
      for (HloInstruction one : matching.first().instructions()) {
        HloInstruction other = matching.pairs().get(one);
        List<HloComputation> called = other == null ? List.of() : other.called();
        for (int i = 0; i < Math.min(one.called().size(), called.size()); i++) {
          if (!isSame || areSame(one.called().get(i), called.get(i))) {
            pair(one.called().get(i), called.get(i));
          }
        }
      }
    }
  }

  private boolean correspond(HloComputation one, HloComputation other) {
    return pairs.get(one) == other || areSame(one, other);
  }

  private boolean areSame(HloComputation one, HloComputation other) {
    return strictFirst.of(one) == strictSecond.of(other);
  }

  private static ImmutableList<HloComputation> without(
      HloModule module, Set<HloComputation> matched) {
    return module.computations().stream()
        .filter(each -> !matched.contains(each))
        .collect(toImmutableList());
  }

  private ModuleDiff.ComputationDiff diff(InstructionMatching matching) {
    List<ModuleDiff.Pair> same = new ArrayList<>();
    List<ModuleDiff.Pair> changed = new ArrayList<>();
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
        ImmutableList.copyOf(same),
        ImmutableList.copyOf(changed),
        matching.first().instructions().stream()
            .filter(each -> !matching.pairs().containsKey(each))
            .collect(toImmutableList()),
        matching.second().instructions().stream()
            .filter(each -> !matching.pairs().containsValue(each))
            .collect(toImmutableList()));
  }
}
