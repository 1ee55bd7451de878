package org.hlo4j.check.shrink;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/**
 * Arrays that an op works on together: the state of a loop, what is reduced, scattered or sorted.
 * Some of them are removed; in the computations that the op calls, zeros take their place.
 */
final class Together {
  private Together() {}

  /**
   * Returns the elements of a loop's state that stay the same, and that the number of iterations
   * does not depend on: most often no instruction needs them.
   */
  static ImmutableSet<Integer> unchanged(HloInstruction loop) {
    return removable(loop).stream()
        .filter(i -> loop.op() instanceof While && isUnchanged(loop.called().get(1), i))
        .collect(ImmutableSet.toImmutableSet());
  }

  private static boolean isUnchanged(HloComputation body, int element) {
    if (body.root().op() instanceof Parameter) {
      return true;
    }
    HloInstruction next = body.root().operands().get(element);
    return next.op() instanceof GetTupleElement same
        && same.index() == element
        && next.operands().get(0) == body.parameters().get(0);
  }

  /**
   * Returns the numbers of the arrays that can be removed: of several, each; of the state of a
   * loop, those that the number of iterations does not depend on.
   */
  static ImmutableSet<Integer> removable(HloInstruction at) {
    int count = at.shape() instanceof Shape.Tuple tuple ? tuple.elements().size() : 0;
    Set<Integer> needed = at.op() instanceof While ? needed(at) : Set.of();
    return IntStream.range(0, isTogether(at) ? count : 0)
        .filter(i -> count > 1 && !needed.contains(i))
        .filter(i -> ((Shape.Tuple) at.shape()).elements().get(i) instanceof Shape.Array)
        .boxed()
        .collect(ImmutableSet.toImmutableSet());
  }

  private static boolean isTogether(HloInstruction at) {
    return switch (at.op()) {
      case Sort _, Reduce _, ReduceWindow _, Scatter _ -> true;
      case While _ -> at.called().stream().allMatch(Together::isTakenApart);
      default -> false;
    };
  }

  /** Returns whether the state of a loop is a tuple that is only taken apart. */
  private static boolean isTakenApart(HloComputation computation) {
    HloInstruction state = computation.parameters().get(0);
    HloInstruction root = computation.root();
    boolean isWhole = root.shape() instanceof Shape.Tuple && !(root.op() instanceof Tuple);
    return (root == state || !isWhole)
        && computation.instructions().stream()
            .filter(each -> each.operands().contains(state))
            .allMatch(each -> each.op() instanceof GetTupleElement);
  }

  /** Returns the elements that the number of iterations depends on. */
  private static Set<Integer> needed(HloInstruction loop) {
    HloComputation condition = loop.called().get(0);
    HloComputation body = loop.called().get(1);
    Set<Integer> needed = new HashSet<>(elementsOf(condition, condition.instructions()));
    int before;
    do {
      before = needed.size();
      Set<HloInstruction> next = new HashSet<>();
      if (body.root().op() instanceof Tuple) {
        needed.forEach(i -> next.add(body.root().operands().get(i)));
      }
      needed.addAll(elementsOf(body, HloComputation.live(body.instructions(), next::contains)));
    } while (before < needed.size());
    return needed;
  }

  private static Set<Integer> elementsOf(
      HloComputation computation, Collection<HloInstruction> some) {
    return some.stream()
        .filter(each -> each.op() instanceof GetTupleElement)
        .filter(each -> each.operands().get(0) == computation.parameters().get(0))
        .map(each -> ((GetTupleElement) each.op()).index())
        .collect(Collectors.toSet());
  }

  /** Returns whether the state of a loop is a tuple of one element. */
  static boolean isSingle(HloInstruction at) {
    return at.op() instanceof While
        && at.shape() instanceof Shape.Tuple tuple
        && tuple.elements().size() == 1;
  }

  /** Returns the change to the other arrays; one that is left is no tuple. */
  static Edit.Change without(Set<Integer> removed) {
    return (draft, old, operands) -> {
      ImmutableList<Shape> shapes = ((Shape.Tuple) old.shape()).elements();
      List<Integer> kept =
          IntStream.range(0, shapes.size()).boxed().filter(i -> !removed.contains(i)).toList();
      boolean isLoop = old.op() instanceof While;
      List<HloInstruction> given = isLoop ? draft.elements(operands.get(0)) : operands;
      List<HloInstruction> left =
          IntStream.range(0, given.size())
              .filter(i -> !removed.contains(number(old, i, shapes.size())))
              .mapToObj(given::get)
              .toList();
      List<HloComputation> called =
          old.called().stream().map(each -> less(draft.inner(), old, each, kept)).toList();
      HloInstruction less =
          draft.add(old.name(), old.op(), isLoop ? List.of(draft.together(left)) : left, called);
      List<HloInstruction> parts = kept.size() == 1 ? List.of(less) : draft.elements(less);
      List<HloInstruction> results = new ArrayList<>();
      for (int i = 0; i < shapes.size(); i++) {
        results.add(
            kept.contains(i)
                ? parts.get(kept.indexOf(i))
                : isLoop ? given.get(i) : draft.zeros(shapes.get(i)));
      }
      return draft.add(old.name(), new Tuple(), results);
    };
  }

  /** Returns the number of the array to which an operand belongs; -1 for indices of all. */
  private static int number(HloInstruction at, int operand, int count) {
    return at.op() instanceof Scatter && operand >= count ? operand - count - 1 : operand % count;
  }

  private static HloComputation less(
      Draft draft, HloInstruction caller, HloComputation old, List<Integer> kept) {
    ImmutableList<Shape> shapes = ((Shape.Tuple) caller.shape()).elements();
    List<HloInstruction> given = new ArrayList<>();
    if (caller.op() instanceof While) {
      List<Shape> left = kept.stream().map(i -> shapes.get(i)).toList();
      Shape state = left.size() == 1 ? left.get(0) : new Shape.Tuple(ImmutableList.copyOf(left));
      HloInstruction parameter = draft.add("state", new Parameter(0, state), List.of());
      List<HloInstruction> parts =
          left.size() == 1 ? List.of(parameter) : draft.elements(parameter);
      List<HloInstruction> all = new ArrayList<>();
      for (int i = 0; i < shapes.size(); i++) {
        all.add(kept.contains(i) ? parts.get(kept.indexOf(i)) : draft.zeros(shapes.get(i)));
      }
      given.add(draft.add("state", new Tuple(), all));
    } else {
      int parameters = 0;
      for (int i = 0; i < old.parameters().size(); i++) {
        Shape shape = old.parameters().get(i).shape();
        int number = caller.op() instanceof Sort ? i / 2 : i % shapes.size();
        given.add(
            kept.contains(number)
                ? draft.add("p", new Parameter(parameters++, shape), List.of())
                : draft.zeros(shape));
      }
    }
    HloInstruction root = draft.inlined(old, given);
    HloInstruction left =
        root.shape() instanceof Shape.Tuple
            ? draft.together(kept.stream().map(draft.elements(root)::get).toList())
            : root;
    return HloComputation.create(
        draft.fresh(old.name()), draft.instructions(), left, old.executionThread());
  }
}
