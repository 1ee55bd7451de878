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
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Parameter;

/** The matching of the instructions of two computations. */
final class InstructionMatching {
  private final HloComputation first;
  private final HloComputation second;
  private final BiMap<HloInstruction, HloInstruction> pairs = HashBiMap.create();
  private final Deque<HloInstruction> anchors = new ArrayDeque<>();
  private final ListMultimap<HloInstruction, HloInstruction> users = ArrayListMultimap.create();

  InstructionMatching(HloComputation first, HloComputation second, Fingerprints strict) {
    this.first = first;
    this.second = second;
    users(first);
    users(second);
    Streams.forEachPair(first.parameters().stream(), second.parameters().stream(), this::pair);
    match(first.instructions(), second.instructions(), strict::of, Integer.MAX_VALUE);
    if (areAlike(first.root(), second.root())) {
      pair(first.root(), second.root());
    }
    propagate();
    match(new Fingerprints(Fingerprints.Detail.SHAPES)::of);
    match(InstructionMatching::scope);
    match(new Fingerprints(Fingerprints.Detail.ALONE)::of);
  }

  HloComputation first() {
    return first;
  }

  HloComputation second() {
    return second;
  }

  /** Returns the counterparts of the first computation's instructions. */
  BiMap<HloInstruction, HloInstruction> pairs() {
    return pairs;
  }

  /** Returns the instructions of a computation without a counterpart. */
  ImmutableList<HloInstruction> unmatched(HloComputation computation) {
    return computation.instructions().stream()
        .filter(not(this::isMatched))
        .collect(toImmutableList());
  }

  private boolean isMatched(HloInstruction instruction) {
    return pairs.containsKey(instruction) || pairs.containsValue(instruction);
  }

  private void users(HloComputation computation) {
    for (HloInstruction each : computation.instructions()) {
      each.operands().stream().distinct().forEach(operand -> users.put(operand, each));
    }
  }

  private void pair(HloInstruction one, HloInstruction other) {
    if (!isMatched(one) && !isMatched(other)) {
      pairs.put(one, other);
      anchors.add(one);
    }
  }

  private static boolean areAlike(HloInstruction one, HloInstruction other) {
    return one.op().opcode().equals(other.op().opcode()) && !(one.op() instanceof Parameter);
  }

  /** Returns what tells instructions that the same line of the user's program has made. */
  private static Object scope(HloInstruction at) {
    String name = at.metadata().opName();
    return name.isEmpty() ? at : at.op().opcode() + " " + name;
  }

  private void match(Function<HloInstruction, Object> key) {
    match(first.instructions(), second.instructions(), key, Integer.MAX_VALUE);
    propagate();
  }

  /** Matches instructions of the same key, in order, if both have as many, and not too many. */
  private void match(
      List<HloInstruction> ones,
      List<HloInstruction> others,
      Function<HloInstruction, Object> key,
      int most) {
    ListMultimap<Object, HloInstruction> left = byKey(ones, key);
    ListMultimap<Object, HloInstruction> right = byKey(others, key);
    left.asMap()
        .forEach((each, alike) -> {
          if (alike.size() == right.get(each).size() && alike.size() <= most) {
            Streams.forEachPair(alike.stream(), right.get(each).stream(), this::pair);
          }
        });
  }

  private ListMultimap<Object, HloInstruction> byKey(
      List<HloInstruction> instructions, Function<HloInstruction, Object> key) {
    ListMultimap<Object, HloInstruction> byKey =
        MultimapBuilder.linkedHashKeys().arrayListValues().build();
    for (HloInstruction each : instructions) {
      Object found = key.apply(each); // of all, in order: a fingerprint asks for those of operands
      if (!isMatched(each) && !(each.op() instanceof Parameter)) {
        byKey.put(found, each);
      }
    }
    return byKey;
  }

  /** Matches the operands and users of matched instructions. */
  private void propagate() {
    while (!anchors.isEmpty()) {
      HloInstruction one = anchors.remove();
      HloInstruction other = pairs.getOrDefault(one, one);
      if (one.operands().size() == other.operands().size()) {
        Streams.forEachPair(
            one.operands().stream(),
            inOrderOf(one, other).stream(),
            (from, to) -> {
              if (areAlike(from, to)) {
                pair(from, to);
              }
            });
      } else {
        neighbours(one.operands(), other.operands());
      }
      neighbours(users.get(one), users.get(other));
    }
  }

  /** Returns the operands of a counterpart, swapped if they correspond so and may be. */
  ImmutableList<HloInstruction> inOrderOf(HloInstruction one, HloInstruction other) {
    boolean isSwapped =
        Fingerprints.isCommutative(one)
            && other.op().equals(one.op())
            && (pairs.get(one.operands().get(0)) == other.operands().get(1)
                || pairs.get(one.operands().get(1)) == other.operands().get(0));
    return isSwapped ? other.operands().reverse() : other.operands();
  }

  /** Matches what is the only one of its opcode among the neighbours of both. */
  private void neighbours(List<HloInstruction> ones, List<HloInstruction> others) {
    match(ones, others, each -> each.op().opcode(), 1);
  }
}
