package org.hlo4j.check.diff;

import static com.google.common.base.Predicates.not;
import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.BiMap;
import com.google.common.collect.HashBiMap;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ListMultimap;
import com.google.common.collect.MultimapBuilder;
import com.google.common.collect.Streams;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.stream.Stream;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Parameter;

/** The matching of two modules: of their computations, and of the instructions of each pair. */
final class Matching {
  private final HloModule first;
  private final HloModule second;
  private final Fingerprints strict = new Fingerprints(true);
  private final Fingerprints shapes = new Fingerprints(false);
  private final BiMap<HloComputation, HloComputation> computations = HashBiMap.create();
  private final BiMap<HloInstruction, HloInstruction> instructions = HashBiMap.create();
  private final ListMultimap<HloInstruction, HloInstruction> users = ArrayListMultimap.create();

  /** Paired computations whose instructions are not matched yet. */
  private final Deque<HloComputation> callees = new ArrayDeque<>();

  /** Paired instructions whose operands and users are not matched yet. */
  private final Deque<HloInstruction> anchors = new ArrayDeque<>();

  Matching(HloModule first, HloModule second) {
    this.first = first;
    this.second = second;
  }

  ModuleDiff diff() {
    pair(computations, first.entry(), second.entry(), callees);
    matchPending();
    pairSame();
    matchPending();
    return new ModuleDiff(
        Changes.ofAttributes(first.attributes(), second.attributes()),
        computations.keySet().stream().map(this::diff).collect(toImmutableList()),
        left(first.computations(), computations.keySet()),
        left(second.computations(), computations.values()));
  }

  private static <T> void pair(BiMap<T, T> pairs, T one, T other, Collection<T> next) {
    if (!pairs.containsKey(one) && !pairs.containsValue(other)) {
      pairs.put(one, other);
      next.add(one);
    }
  }

  private static <T> ImmutableList<T> left(List<T> all, Set<T> matched) {
    return all.stream().filter(not(matched::contains)).collect(toImmutableList());
  }

  // Computations.

  private void matchPending() {
    while (!callees.isEmpty()) {
      HloComputation one = callees.remove();
      match(one, computations.getOrDefault(one, one));
      pairCalled(one, this::areSame);
      pairCalled(one, (from, to) -> true);
    }
  }

  /** Pairs some of what matched instructions call, in order. */
  private void pairCalled(
      HloComputation caller, BiPredicate<HloComputation, HloComputation> isPaired) {
    for (HloInstruction one : caller.instructions()) {
      HloInstruction other = instructions.get(one);
      Streams.forEachPair(
          one.called().stream(),
          other == null ? Stream.of() : other.called().stream(),
          (from, to) -> {
            if (isPaired.test(from, to)) {
              pair(computations, from, to, callees);
            }
          });
    }
  }

  /** Pairs computations that are the same although no calls of them correspond. */
  private void pairSame() {
    ListMultimap<Integer, HloComputation> byNumber = ArrayListMultimap.create();
    left(first.computations(), computations.keySet())
        .forEach(each -> byNumber.put(strict.of(each), each));
    for (HloComputation each : left(second.computations(), computations.values())) {
      List<HloComputation> same = byNumber.get(strict.of(each));
      if (!same.isEmpty()) {
        pair(computations, same.remove(0), each, callees);
      }
    }
  }

  private boolean areSame(HloComputation one, HloComputation other) {
    return strict.of(one) == strict.of(other);
  }

  boolean correspond(HloComputation one, HloComputation other) {
    return computations.get(one) == other || areSame(one, other);
  }

  private ModuleDiff.ComputationDiff diff(HloComputation one) {
    HloComputation other = computations.getOrDefault(one, one);
    ImmutableList.Builder<ModuleDiff.Pair> same = ImmutableList.builder();
    ImmutableList.Builder<ModuleDiff.Pair> changed = ImmutableList.builder();
    for (HloInstruction each : one.instructions()) {
      HloInstruction counterpart = instructions.get(each);
      if (counterpart != null) {
        ImmutableList<ModuleDiff.Change> changes = Changes.of(each, counterpart, this, one, other);
        (changes.isEmpty() ? same : changed).add(new ModuleDiff.Pair(each, counterpart, changes));
      }
    }
    return new ModuleDiff.ComputationDiff(
        one,
        other,
        same.build(),
        changed.build(),
        left(one.instructions(), instructions.keySet()),
        left(other.instructions(), instructions.values()));
  }

  // Instructions.

  /** Returns the counterparts of the first module's instructions. */
  BiMap<HloInstruction, HloInstruction> instructions() {
    return instructions;
  }

  private void match(HloComputation one, HloComputation other) {
    for (HloComputation each : List.of(one, other)) {
      each.instructions()
          .forEach(at -> at.operands().stream().distinct().forEach(of -> users.put(of, at)));
    }
    Streams.forEachPair(one.parameters().stream(), other.parameters().stream(), this::pair);
    match(one.instructions(), other.instructions(), strict::of, Integer.MAX_VALUE);
    pairAlike(one.root(), other.root());
    propagate();
    for (Function<HloInstruction, Object> key :
        ImmutableList.<Function<HloInstruction, Object>>of(
            shapes::of, Matching::scope, Matching::kind)) {
      match(one.instructions(), other.instructions(), key, Integer.MAX_VALUE);
      propagate();
    }
  }

  private void pair(HloInstruction one, HloInstruction other) {
    pair(instructions, one, other, anchors);
  }

  private void pairAlike(HloInstruction one, HloInstruction other) {
    if (one.op().opcode().equals(other.op().opcode()) && !(one.op() instanceof Parameter)) {
      pair(one, other);
    }
  }

  /** Returns what tells instructions that the same line of the user's program has made. */
  private static Object scope(HloInstruction at) {
    String name = at.metadata().opName();
    return name.isEmpty() ? at : at.op().opcode() + " " + name;
  }

  /** Matches instructions of the same key, in order, if both have as many, and not too many. */
  private void match(
      List<HloInstruction> ones,
      List<HloInstruction> others,
      Function<HloInstruction, Object> key,
      int most) {
    ListMultimap<Object, HloInstruction> right = byKey(others, key, instructions.values());
    byKey(ones, key, instructions.keySet())
        .asMap()
        .forEach((each, alike) -> {
          if (alike.size() == right.get(each).size() && alike.size() <= most) {
            Streams.forEachPair(alike.stream(), right.get(each).stream(), this::pair);
          }
        });
  }

  private static ListMultimap<Object, HloInstruction> byKey(
      List<HloInstruction> all, Function<HloInstruction, Object> key, Set<HloInstruction> matched) {
    ListMultimap<Object, HloInstruction> byKey =
        MultimapBuilder.linkedHashKeys().arrayListValues().build();
    for (HloInstruction each : all) {
      Object found = key.apply(each); // of all, in order: a fingerprint asks for those of operands
      if (!matched.contains(each) && !(each.op() instanceof Parameter)) {
        byKey.put(found, each);
      }
    }
    return byKey;
  }

  /** Matches the operands and users of matched instructions, some if they alone have an opcode. */
  private void propagate() {
    while (!anchors.isEmpty()) {
      HloInstruction one = anchors.remove();
      HloInstruction other = instructions.getOrDefault(one, one);
      if (one.operands().size() == other.operands().size()) {
        Streams.forEachPair(
            one.operands().stream(), inOrderOf(one, other).stream(), this::pairAlike);
      } else {
        match(one.operands(), other.operands(), Matching::opcode, 1);
      }
      match(users.get(one), users.get(other), Matching::opcode, 1);
    }
  }

  /** Returns the operands of a counterpart, swapped if they correspond so and may be. */
  ImmutableList<HloInstruction> inOrderOf(HloInstruction one, HloInstruction other) {
    boolean isSwapped =
        Fingerprints.isCommutative(one)
            && other.op().equals(one.op())
            && (instructions.get(one.operands().get(0)) == other.operands().get(1)
                || instructions.get(one.operands().get(1)) == other.operands().get(0));
    return isSwapped ? other.operands().reverse() : other.operands();
  }

  private static Object opcode(HloInstruction at) {
    return at.op().opcode();
  }

  private static Object kind(HloInstruction at) {
    return at.op().opcode() + " " + at.shape().withoutLayout();
  }
}
