package org.hlo4j.check.diff;

import static com.google.common.collect.ImmutableListMultimap.toImmutableListMultimap;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.BiMap;
import com.google.common.collect.HashBiMap;
import com.google.common.collect.ListMultimap;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Parameter;
import org.jspecify.annotations.Nullable;

/** The matching of the instructions of two computations. */
final class InstructionMatching {
  private final HloComputation first;
  private final HloComputation second;
  private final BiMap<HloInstruction, HloInstruction> pairs = HashBiMap.create();
  private final Deque<HloInstruction> anchors = new ArrayDeque<>();
  private final ListMultimap<HloInstruction, HloInstruction> usersInFirst;
  private final ListMultimap<HloInstruction, HloInstruction> usersInSecond;

  InstructionMatching(
      HloComputation first,
      HloComputation second,
      Fingerprints strictFirst,
      Fingerprints strictSecond) {
    this.first = first;
    this.second = second;
    this.usersInFirst = users(first);
    this.usersInSecond = users(second);
    parameters();
    match(strictFirst::of, strictSecond::of);
    if (sameKind(first.root(), second.root())) {
      pair(first.root(), second.root());
    }
    propagate();
    match(Fingerprints.Detail.SHAPES);
    matchScopes();
    match(Fingerprints.Detail.ALONE);
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

  /** Returns the name of the counterpart of an instruction of the first computation, if any. */
  Optional<String> nameInSecond(String nameInFirst) {
    return first.instructions().stream()
        .filter(each -> each.name().equals(nameInFirst) && pairs.containsKey(each))
        .map(each -> requireNonNull(pairs.get(each)).name())
        .findFirst();
  }

  private static ListMultimap<HloInstruction, HloInstruction> users(HloComputation computation) {
    ListMultimap<HloInstruction, HloInstruction> users = ArrayListMultimap.create();
    for (HloInstruction each : computation.instructions()) {
      each.operands().stream().distinct().forEach(operand -> users.put(operand, each));
    }
    return users;
  }

  private void parameters() {
    List<HloInstruction> ofFirst = first.parameters();
    List<HloInstruction> ofSecond = second.parameters();
    for (int i = 0; i < Math.min(ofFirst.size(), ofSecond.size()); i++) {
      pair(ofFirst.get(i), ofSecond.get(i));
    }
  }

  private void pair(HloInstruction one, HloInstruction other) {
    if (!pairs.containsKey(one) && !pairs.containsValue(other)) {
      pairs.put(one, other);
      anchors.add(one);
    }
  }

  private static boolean sameKind(HloInstruction one, HloInstruction other) {
    return one.op().opcode().equals(other.op().opcode()) && !(one.op() instanceof Parameter);
  }

  private void match(Fingerprints.Detail detail) {
    Fingerprints ofFirst = new Fingerprints(detail);
    Fingerprints ofSecond = new Fingerprints(detail);
    match(ofFirst::of, ofSecond::of);
    propagate();
  }

  /** Matches what was made by the same line of the user's program. */
  private void matchScopes() {
    Function<HloInstruction, @Nullable Object> scope =
        each ->
            each.metadata().opName().isEmpty()
                ? null
                : each.op().opcode() + " " + each.metadata().opName();
    match(scope, scope);
    propagate();
  }

  /** Matches instructions of the same key, in order, if there are as many in both. */
  private void match(
      Function<HloInstruction, ? extends @Nullable Object> keyOfFirst,
      Function<HloInstruction, ? extends @Nullable Object> keyOfSecond) {
    ListMultimap<Object, HloInstruction> left = byKey(first, pairs.keySet(), keyOfFirst);
    ListMultimap<Object, HloInstruction> right = byKey(second, pairs.values(), keyOfSecond);
    for (HloInstruction one : first.instructions()) {
      Object key = keyOfFirst.apply(one);
      if (key == null) {
        continue;
      }
      List<HloInstruction> ones = left.get(key);
      List<HloInstruction> others = right.get(key);
      if (!ones.isEmpty() && ones.get(0) == one && ones.size() == others.size()) {
        for (int i = 0; i < ones.size(); i++) {
          pair(ones.get(i), others.get(i));
        }
      }
    }
  }

  private static ListMultimap<Object, HloInstruction> byKey(
      HloComputation computation,
      Set<HloInstruction> matched,
      Function<HloInstruction, ? extends @Nullable Object> key) {
    ListMultimap<Object, HloInstruction> byKey = ArrayListMultimap.create();
    for (HloInstruction each : computation.instructions()) {
      Object found = key.apply(each); // of all, in order: a fingerprint asks for those of operands
      if (found != null && !matched.contains(each) && !(each.op() instanceof Parameter)) {
        byKey.put(found, each);
      }
    }
    return byKey;
  }

  /** Matches the operands and users of matched instructions. */
  private void propagate() {
    while (!anchors.isEmpty()) {
      HloInstruction one = anchors.remove();
      HloInstruction other = pairs.get(one);
      if (other != null) {
        operands(one, other);
        neighbours(usersInFirst.get(one), usersInSecond.get(other));
      }
    }
  }

  /** Returns the operands of a counterpart, swapped if they correspond so and may be. */
  List<HloInstruction> inOrderOf(HloInstruction one, HloInstruction other) {
    boolean isSwapped =
        Fingerprints.isCommutative(one)
            && other.op().equals(one.op())
            && (pairs.get(one.operands().get(0)) == other.operands().get(1)
                || pairs.get(one.operands().get(1)) == other.operands().get(0));
    return isSwapped ? other.operands().reverse() : other.operands();
  }

  private void operands(HloInstruction one, HloInstruction other) {
    if (one.operands().size() == other.operands().size()) {
      List<HloInstruction> others = inOrderOf(one, other);
      for (int i = 0; i < one.operands().size(); i++) {
        if (sameKind(one.operands().get(i), others.get(i))) {
          pair(one.operands().get(i), others.get(i));
        }
      }
    } else {
      neighbours(one.operands(), other.operands());
    }
  }

  /** Matches what is the only one of its opcode among the neighbours of both. */
  private void neighbours(List<HloInstruction> ones, List<HloInstruction> others) {
    ListMultimap<String, HloInstruction> left = byOpcode(ones, pairs.keySet());
    ListMultimap<String, HloInstruction> right = byOpcode(others, pairs.values());
    for (String opcode : left.keySet()) {
      if (left.get(opcode).size() == 1 && right.get(opcode).size() == 1) {
        pair(left.get(opcode).get(0), right.get(opcode).get(0));
      }
    }
  }

  private static ListMultimap<String, HloInstruction> byOpcode(
      List<HloInstruction> all, Set<HloInstruction> matched) {
    return all.stream()
        .filter(each -> !matched.contains(each))
        .collect(toImmutableListMultimap(each -> each.op().opcode(), each -> each));
  }
}
