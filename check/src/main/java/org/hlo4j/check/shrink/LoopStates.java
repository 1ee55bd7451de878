package org.hlo4j.check.shrink;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.CallInliner;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/** Removes elements of the state of a loop. In the loop, zeros take the place of their values. */
final class LoopStates {
  private LoopStates() {}

  /**
   * Returns the elements that stay the same, and that the number of iterations does not depend on:
   * most often no instruction needs them.
   */
  static ImmutableSet<Integer> unchanged(HloInstruction loop) {
    return removable(loop).stream()
        .filter(i -> isUnchanged(loop.called().get(1), i))
        .collect(ImmutableSet.toImmutableSet());
  }

  /** Returns the elements that the number of iterations does not depend on. */
  static ImmutableSet<Integer> removable(HloInstruction loop) {
    if (!isTaken(loop)) {
      return ImmutableSet.of();
    }
    HloComputation body = loop.called().get(1);
    Set<Integer> needed =
        new HashSet<>(elementsOf(loop.called().get(0), loop.called().get(0).instructions()));
    int before;
    do {
      before = needed.size();
      List<HloInstruction> next =
          needed.stream().map(i -> body.root().operands().get(i)).distinct().toList();
      needed.addAll(elementsOf(body, HloComputation.live(body.instructions(), next::contains)));
    } while (before < needed.size());
    ImmutableList<Shape> shapes = ((Shape.Tuple) loop.shape()).elements();
    return IntStream.range(0, shapes.size())
        .filter(i -> !needed.contains(i) && shapes.get(i) instanceof Shape.Array)
        .boxed()
        .collect(ImmutableSet.toImmutableSet());
  }

  private static boolean isUnchanged(HloComputation body, int element) {
    HloInstruction next = body.root().operands().get(element);
    return next.op() instanceof GetTupleElement same
        && same.index() == element
        && next.operands().get(0) == body.parameters().get(0);
  }

  private static ImmutableSet<Integer> elementsOf(
      HloComputation computation, Iterable<HloInstruction> some) {
    ImmutableSet.Builder<Integer> elements = ImmutableSet.builder();
    for (HloInstruction each : some) {
      if (each.op() instanceof GetTupleElement element
          && each.operands().get(0) == computation.parameters().get(0)) {
        elements.add(element.index());
      }
    }
    return elements.build();
  }

  /** Returns whether the state of a loop is a tuple that is only taken apart. */
  private static boolean isTaken(HloInstruction loop) {
    return loop.op() instanceof While
        && loop.shape() instanceof Shape.Tuple
        && loop.called().get(1).root().op() instanceof Tuple
        && loop.called().stream().allMatch(LoopStates::isTakenApart);
  }

  private static boolean isTakenApart(HloComputation computation) {
    HloInstruction state = computation.parameters().get(0);
    return computation.instructions().stream()
        .filter(each -> each.operands().contains(state))
        .allMatch(each -> each.op() instanceof GetTupleElement);
  }

  private static int size(HloInstruction loop) {
    return ((Shape.Tuple) loop.shape()).elements().size();
  }

  /** Returns the change of a loop to one without some elements of its state. */
  static Edit.Change without(Set<Integer> elements) {
    return (draft, old, operands) -> {
      List<HloInstruction> initial = new ArrayList<>();
      for (int i = 0; i < size(old); i++) {
        initial.add(
            operands.get(0).op() instanceof Tuple
                ? operands.get(0).operands().get(i)
                : draft.add(old.name(), new GetTupleElement(i), operands));
      }
      HloInstruction state = draft.add(old.name(), new Tuple(), kept(initial, elements));
      List<HloComputation> called = new ArrayList<>();
      for (HloComputation each : old.called()) {
        called.add(without(elements, each, state.shape(), draft));
      }
      HloInstruction loop = draft.add(old.name(), new While(), List.of(state), called);
      int next = 0;
      for (int i = 0; i < initial.size(); i++) {
        if (!elements.contains(i)) {
          initial.set(i, draft.add(old.name(), new GetTupleElement(next++), List.of(loop)));
        }
      }
      return draft.add(old.name(), new Tuple(), initial);
    };
  }

  private static HloComputation without(
      Set<Integer> elements, HloComputation old, Shape state, Draft names) {
    Draft draft = names.inner();
    HloInstruction parameter =
        draft.add(old.parameters().get(0).name(), new Parameter(0, state), List.of());
    HloInstruction root =
        CallInliner.inline(
            old,
            List.of(parameter),
            each -> {
              boolean isRoot = each.name().equals(old.root().name());
              if (each.op() instanceof GetTupleElement at && each.operands().get(0) == parameter) {
                return elements.contains(at.index())
                    ? zeros(draft, each)
                    : draft.add(
                        each.name(),
                        new GetTupleElement(place(at.index(), elements)),
                        each.operands());
              }
              return isRoot && each.op() instanceof Tuple
                  ? draft.add(each.name(), new Tuple(), kept(each.operands(), elements))
                  : draft.copy(each, each.operands());
            });
    return HloComputation.create(
        draft.fresh(old.name()), draft.instructions(), root, old.executionThread());
  }

  private static ImmutableList<HloInstruction> kept(
      List<HloInstruction> all, Set<Integer> without) {
    return IntStream.range(0, all.size())
        .filter(i -> !without.contains(i))
        .mapToObj(all::get)
        .collect(ImmutableList.toImmutableList());
  }

  private static HloInstruction zeros(Draft draft, HloInstruction old) {
    Literal zeros = Literal.zeros((Shape.Array) old.shape().withoutLayout());
    return draft.add(old.name(), new Constant(zeros), List.of());
  }

  private static int place(int index, Set<Integer> without) {
    return index - (int) without.stream().filter(each -> each < index).count();
  }
}
