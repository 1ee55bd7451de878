package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Lists;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.hlo4j.check.part.Draft;
import org.hlo4j.check.part.Rewrite;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.While;

/**
 * Arrays that an op works on together: the state of a loop, what is reduced, scattered or sorted.
 * Some of them are removed; in the computations that the op calls, zeros take their place.
 */
final class Together {
  private Together() {}

  /** Returns how many elements the result has; 0 if it is no tuple. */
  static int count(HloInstruction at) {
    return at.shape() instanceof Shape.Tuple tuple ? tuple.elements().size() : 0;
  }

  /**
   * Returns the numbers of the arrays that can be removed: of several, each; of the state of a
   * loop, those that its condition does not take.
   */
  static ImmutableSet<Integer> removable(HloInstruction at) {
    IntPredicate isRemovable =
        switch (at.op()) {
          case Sort _, Reduce _, ReduceWindow _, Scatter _ -> i -> true;
          case While _ -> i -> !takes(at.called().get(0), i);
          default -> i -> false;
        };
    return IntStream.range(0, count(at))
        .filter(isRemovable)
        .filter(i -> shapes(at).get(i) instanceof Shape.Array)
        .boxed()
        .collect(toImmutableSet());
  }

  private static ImmutableList<Shape> shapes(HloInstruction at) {
    return ((Shape.Tuple) at.shape()).elements();
  }

  private static boolean takes(HloComputation condition, int element) {
    return condition.instructions().stream()
        .filter(each -> each.op().equals(new GetTupleElement(element)))
        .anyMatch(each -> each.operands().equals(condition.parameters()));
  }

  /** Returns the change to the other arrays; one that is left is no tuple. */
  static Rewrite.Change without(Set<Integer> removed) {
    return (draft, at) -> {
      boolean isLoop = at.op() instanceof While;
      List<HloInstruction> given = isLoop ? draft.elements(at.operands().get(0)) : at.operands();
      List<HloInstruction> left = left(given, i -> !removed.contains(number(at, i)));
      HloInstruction less =
          draft.add(
              at.name(),
              at.op(),
              isLoop ? List.of(draft.together("state", left)) : left,
              at.called().stream().map(each -> less(draft.inner(), at, each, removed)).toList());
      IntFunction<HloInstruction> other =
          i -> isLoop ? given.get(i) : draft.zeros(shapes(at).get(i));
      return draft.tuple(
          at.name(), filled(count(at), i -> !removed.contains(i), draft.elements(less), other));
    };
  }

  /** Returns the number of the array to which an operand belongs; -1 for indices of all. */
  private static int number(HloInstruction at, int operand) {
    int count = count(at);
    return at.op() instanceof Scatter && operand >= count ? operand - count - 1 : operand % count;
  }

  private static <T> List<T> left(List<T> all, IntPredicate isLeft) {
    return IntStream.range(0, all.size()).filter(isLeft).mapToObj(all::get).toList();
  }

  /** Returns so many values, of which some are left and others are filled in. */
  private static List<HloInstruction> filled(
      int count,
      IntPredicate isLeft,
      List<HloInstruction> left,
      IntFunction<HloInstruction> other) {
    Iterator<HloInstruction> next = left.iterator();
    return IntStream.range(0, count)
        .mapToObj(i -> isLeft.test(i) ? next.next() : other.apply(i))
        .toList();
  }

  /** Returns a computation that takes and gives no removed arrays: they are zeros in it. */
  private static HloComputation less(
      Draft draft, HloInstruction at, HloComputation old, Set<Integer> removed) {
    boolean isLoop = at.op() instanceof While;
    List<Shape> shapes =
        isLoop ? shapes(at) : Lists.transform(old.parameters(), HloInstruction::shape);
    int inRow = at.op() instanceof Sort ? 2 : 1; // two elements of one array are compared
    IntPredicate isLeft = i -> !removed.contains(i / inRow % count(at));
    List<Shape> left = left(shapes, isLeft);
    boolean isTuple = isLoop && left.size() > 1;
    List<HloInstruction> parameters = new ArrayList<>();
    for (Shape each : isTuple ? List.of(new Shape.Tuple(ImmutableList.copyOf(left))) : left) {
      parameters.add(draft.add("p", new Parameter(parameters.size(), each)));
    }
    List<HloInstruction> given =
        filled(
            shapes.size(),
            isLeft,
            isLoop ? draft.elements(parameters.get(0)) : parameters,
            i -> draft.zeros(shapes.get(i)));
    HloInstruction root = draft.inlined(old, isLoop ? List.of(draft.tuple("state", given)) : given);
    HloInstruction result =
        root.shape() instanceof Shape.Tuple
            ? draft.together("state", left(draft.elements(root), i -> !removed.contains(i)))
            : root;
    return HloComputation.create(
        draft.fresh(old.name()), draft.instructions(), result, old.executionThread());
  }
}
