package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.hlo4j.check.part.Draft;
import org.hlo4j.check.part.Rewrite;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.hlo4j.hlo.op.Window;

/** The reductions. */
final class Reductions {
  private static final int MAX_CALLEES = 8;
  private static final int MAX_OPERANDS = 4;

  private Reductions() {}

  /** Removes instructions that the root does not need: an edit of them is enough. */
  static final Reduction DEAD =
      new Reduction("dead code", (known, at) -> known.dead().contains(at), Draft::add);

  /**
   * Replaces arrays of the entry, and parameters that are tuples, by parameters with the values.
   */
  static final Reduction VALUES = new Reduction("values", Reductions::value);

  /** Replaces calls, fusions, branches and loops by what they call, and takes tuples apart. */
  static final ImmutableList<Reduction> INLINING =
      ImmutableList.<Reduction>builder()
          .addAll(IntStream.range(0, MAX_CALLEES).mapToObj(Reductions::callee).iterator())
          .add(
              new Reduction("the last iteration", Reductions::lastIteration),
              new Reduction(
                  "single loop state",
                  (known, at) -> isLoop(at) && Together.count(at) == 1,
                  Together.without(ImmutableSet.of())),
              VALUES,
              new Reduction("tuples", Reductions::element))
          .build();

  /** What makes computations simpler, in this order. */
  static final ImmutableList<Reduction> SIMPLER =
      ImmutableList.<Reduction>builder()
          .addAll(IntStream.range(0, MAX_OPERANDS).mapToObj(Reductions::operand).iterator())
          .add(
              VALUES,
              new Reduction(
                  "same value",
                  (known, at) ->
                      known.isInEntry(at) ? Known.isGiven(at) : !(at.op() instanceof Parameter),
                  Reductions::same),
              new Reduction(
                  "zeros",
                  (known, at) -> known.isInner(at) && isArray(at) && !isZero(at),
                  (draft, at) -> draft.zeros(at.shape())),
              DEAD)
          .build();

  /** What makes ops simpler. */
  static final ImmutableList<Reduction> ATTRIBUTES =
      ImmutableList.<Reduction>builder()
          .addAll(Simpler.ATTRIBUTES)
          .add(new Reduction("scalars", Reductions::isOfArray, Reductions::ofScalar))
          .build();

  /** Removes some of the arrays that an op works on together, such as elements of loop states. */
  static Reduction without(Set<Integer> numbers) {
    return new Reduction(
        "arrays",
        (known, at) ->
            Optional.of(Sets.intersection(Together.removable(at), numbers))
                .filter(some -> !some.isEmpty() && some.size() < Together.count(at))
                .map(some -> Together.without(some)));
  }

  private static Optional<Rewrite.Change> value(Known known, HloInstruction at) {
    boolean isTuple = at.op() instanceof Parameter && at.shape() instanceof Shape.Tuple;
    boolean isComputed = known.isInEntry(at) && isArray(at) && !Known.isGiven(at);
    Optional<Literal> value =
        isTuple ? known.argument(at) : isComputed ? known.value(at) : Optional.empty();
    return value.map(
        all -> (draft, old) -> draft.given(draft.fresh("p"), all, old.shape().withoutLayout()));
  }

  /** Returns the element of a known tuple. */
  private static Optional<Rewrite.Change> element(Known known, HloInstruction at) {
    return at.op() instanceof GetTupleElement element && at.operands().get(0).op() instanceof Tuple
        ? Optional.of((draft, old) -> old.operands().get(0).operands().get(element.index()))
        : Optional.empty();
  }

  private static boolean isArray(HloInstruction at) {
    return at.shape() instanceof Shape.Array;
  }

  private static boolean isLoop(HloInstruction at) {
    return at.op() instanceof While;
  }

  /**
   * Replaces an op by a computation that it calls, if that takes what the op does, and gives it or
   * is the result of the program.
   */
  private static Reduction callee(int number) {
    return new Reduction(
        "callee " + number,
        (known, at) ->
            number < at.called().size()
                && (known.isResult(at)
                    || at.called().get(number).root().shape().compatible(at.shape()))
                && shapes(at.called().get(number).parameters()).equals(shapes(given(at, number))),
        (draft, at) -> draft.inlined(at.called().get(number), given(at, number)));
  }

  /** Returns the operands that a computation may take. */
  private static List<HloInstruction> given(HloInstruction at, int callee) {
    return at.op() instanceof Conditional
        ? at.operands().subList(callee + 1, callee + 2)
        : at.operands();
  }

  private static ImmutableList<Shape> shapes(List<HloInstruction> instructions) {
    return instructions.stream()
        .map(each -> each.shape().withoutLayout())
        .collect(toImmutableList());
  }

  private static Optional<Rewrite.Change> lastIteration(Known known, HloInstruction at) {
    return isLoop(at) && known.isInEntry(at)
        ? known
            .value(at.called().get(1).parameters().get(0))
            .map(state ->
                (draft, loop) -> {
                  HloInstruction last = draft.given(draft.fresh("p"), state, loop.shape());
                  return draft.inlined(loop.called().get(1), List.of(last));
                })
        : Optional.empty();
  }

  /** Replaces instructions by an operand of the same shape. */
  private static Reduction operand(int number) {
    return new Reduction(
        "operand " + number,
        (known, at) ->
            number < at.operands().size()
                && at.operands().get(number).shape().compatible(at.shape()),
        (draft, at) -> at.operands().get(number));
  }

  /** Returns whether it reduces or scatters an array; the first element as a scalar may do. */
  private static boolean isOfArray(Known known, HloInstruction at) {
    return (at.op() instanceof Reduce
            || at.op() instanceof ReduceWindow
            || at.op() instanceof Scatter)
        && isArray(at)
        && at.operands().get(0).arrayShape().rank() > 0
        && at.operands().get(0).arrayShape().elementCount() > 0
        && at.operands().getLast().arrayShape().elementCount() > 0;
  }

  private static HloInstruction ofScalar(Draft draft, HloInstruction at) {
    Op op =
        Simpler.with(
            at.op(),
            (name, value) ->
                switch (value) {
                  case Dims _ -> Dims.of();
                  case Window _ -> Window.of(Dims.of());
                  case Long _ -> 0L;
                  case Integer _ -> 0;
                  default -> value;
                });
    List<HloInstruction> scalars = new ArrayList<>();
    for (HloInstruction each : at.operands()) {
      Shape.Array shape = each.arrayShape();
      boolean isIndex = at.op() instanceof Scatter && scalars.size() == 1;
      scalars.add(
          isIndex
              ? draft.zeros(Shape.of(shape.elementType(), 0))
              : draft.add(
                  each.name(),
                  new Reshape(Shape.of(shape.elementType())),
                  draft.add(each.name(), Movement.first(Dims.filled(shape.rank(), 1)), each)));
    }
    return draft.add(
        at.name(),
        new Broadcast((Shape.Array) at.shape().withoutLayout(), Dims.of()),
        draft.add(at.name(), op, scalars, at.called()));
  }

  private static boolean isZero(HloInstruction at) {
    return at.op() instanceof Broadcast && at.operands().get(0).op() instanceof Constant;
  }

  /**
   * Replaces what is given to the entry, and what called computations have, by the first parameter
   * or constant of the same shape.
   */
  private static HloInstruction same(Draft draft, HloInstruction at) {
    return draft.instructions().stream()
        .filter(each -> Known.isGiven(each) && each.shape().compatible(at.shape()))
        .findFirst()
        .orElseGet(() -> draft.add(at));
  }
}
