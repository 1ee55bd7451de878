package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.Multiset;
import com.google.common.collect.SetMultimap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.engine.DynamicShapes;

/**
 * The choice of the complex loop state that is carried in parts: elements that are assembled from
 * parts, and of which both the body and the condition use only the parts.
 */
final class ComplexUses {
  private final SetMultimap<HloInstruction, HloInstruction> users;
  private final Multiset<HloComputation> calls;
  private final Map<HloInstruction, Set<Integer>> loops = new HashMap<>();
  private final Map<HloComputation, Set<Integer>> states = new HashMap<>();

  ComplexUses(HloModule module) {
    this.calls = LoopState.callCounts(module);
    this.users = Pass.users(module.computations());
    for (HloComputation computation : module.computations()) { // callees first
      computation.instructions().stream()
          .filter(instruction -> instruction.op() instanceof While)
          .forEach(this::choose);
    }
  }

  /** Returns which elements of its state a loop is to carry in parts. */
  Set<Integer> ofLoop(HloInstruction loop) {
    return loops.getOrDefault(loop, Set.of());
  }

  /** Returns which elements of its parameter, the state of a loop, a computation gets in parts. */
  Set<Integer> ofState(HloComputation called) {
    return states.getOrDefault(called, Set.of());
  }

  private void choose(HloInstruction loop) {
    HloComputation condition = loop.called().get(0);
    HloComputation body = loop.called().get(1);
    boolean isAlone = calls.count(condition) == 1 && calls.count(body) == 1;
    if (!isAlone
        || !(body.root().op() instanceof Tuple)
        || !(loop.shape() instanceof Shape.Tuple state)
        || state.elements().stream().noneMatch(ComplexParts::isComplex)
        || !isDestructured(condition)
        || !isDestructured(body)
        || users.containsKey(body.root())
        || DynamicShapes.hasDynamicShape(loop)) {
      return;
    }
    Set<HloInstruction> assembled = assembledFromParts(body);
    Set<HloInstruction> inParts = usedInParts(body);
    inParts.addAll(usedInParts(condition));
    Set<Integer> chosen = new HashSet<>();
    for (int k = 0; k < state.elements().size(); k++) {
      if (ComplexParts.isComplex(state.elements().get(k))
          && inParts.containsAll(elements(condition, k))
          && inParts.containsAll(elements(body, k))
          && assembled.contains(body.root().operands().get(k))) {
        chosen.add(k);
      }
    }
    if (!chosen.isEmpty()) {
      loops.put(loop, chosen);
      states.put(condition, chosen);
      states.put(body, chosen);
    }
  }

  private boolean isDestructured(HloComputation computation) {
    return users.get(computation.parameters().get(0)).stream()
        .allMatch(user -> user.op() instanceof GetTupleElement);
  }

  /** Returns the instructions that take an element of the state. */
  private List<HloInstruction> elements(HloComputation computation, int index) {
    return users.get(computation.parameters().get(0)).stream()
        .filter(user -> ((GetTupleElement) user.op()).index() == index)
        .toList();
  }

  /** Returns the numbers of which all uses are uses of their parts. */
  private Set<HloInstruction> usedInParts(HloComputation computation) {
    Set<HloInstruction> inParts = new HashSet<>();
    for (HloInstruction number : computation.instructions().reversed()) { // users first
      boolean isInParts =
          users.get(number).stream()
              .allMatch(user ->
                  user == computation.root()
                      || ComplexParts.isFormula(user)
                      || (user.op() instanceof Tuple && isSplitState(user, number))
                      || (ComplexParts.isMovement(user) && inParts.contains(user)));
      if (isInParts) {
        inParts.add(number);
      }
    }
    return inParts;
  }

  /** Returns whether the users of a tuple are loops that carry the number in parts. */
  private boolean isSplitState(HloInstruction tuple, HloInstruction number) {
    return users.get(tuple).stream()
        .allMatch(loop -> {
          for (int k = 0; k < tuple.operands().size(); k++) {
            if (tuple.operands().get(k) == number && !ofLoop(loop).contains(k)) {
              return false;
            }
          }
          return true;
        });
  }

  /** Returns the numbers that are assembled from parts. */
  private Set<HloInstruction> assembledFromParts(HloComputation computation) {
    Set<HloInstruction> assembled = new HashSet<>();
    for (HloInstruction number : computation.instructions()) { // operands first
      if (isAssembledFromParts(number, assembled)) {
        assembled.add(number);
      }
    }
    return assembled;
  }

  private boolean isAssembledFromParts(HloInstruction number, Set<HloInstruction> assembled) {
    return switch (number.op()) {
      case Constant _ -> true;
      case GetTupleElement element -> {
        HloInstruction tuple = number.operands().get(0);
        yield tuple.op() instanceof Parameter || ofLoop(tuple).contains(element.index());
      }
      default ->
          ComplexParts.isFormula(number)
              || (ComplexParts.isMovement(number)
                  && number.operands().stream()
                      .filter(operand -> ComplexParts.isComplex(operand.shape()))
                      .allMatch(assembled::contains));
    };
  }
}
