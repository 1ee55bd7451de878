package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.check.part.Draft;
import org.hlo4j.check.part.Rewrite;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.ConvolutionDimensionNumbers;
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

  /** Replaces instructions of the entry by parameters with their values. */
  static final Reduction VALUES =
      new Reduction(
          "values",
          (known, at) ->
              known.isInner(at) || Known.isGiven(at) || !isArray(at)
                  ? Optional.empty()
                  : known.value(at).map(value -> (draft, old) -> draft.value(old, value)));

  /** Takes apart the parameters of the entry that are tuples. */
  private static final Reduction TUPLE_PARAMETERS =
      new Reduction(
          "tuple parameters",
          (known, at) ->
              known
                  .literal(at, value -> value)
                  .filter(value -> at.shape() instanceof Shape.Tuple)
                  .map(value ->
                      (draft, old) -> draft.given(old.name(), value, old.shape().withoutLayout())));

  /** Replaces the elements of known tuples. */
  private static final Reduction TUPLES =
      new Reduction(
          "tuples",
          (known, at) ->
              at.op() instanceof GetTupleElement && at.operands().get(0).op() instanceof Tuple,
          (draft, at) -> at.operands().get(0).operands().get(((GetTupleElement) at.op()).index()));

  /** Makes the only element of a loop's state the state. */
  private static final Reduction SINGLE_STATE =
      new Reduction(
          "single loop state",
          (known, at) -> isLoop(at) && Together.count(at) == 1,
          Together.without(ImmutableSet.of()));

  /** Replaces calls, fusions, branches and loops by what they call, and takes tuples apart. */
  static final ImmutableList<Reduction> INLINING =
      ImmutableList.<Reduction>builder()
          .addAll(IntStream.range(0, MAX_CALLEES).mapToObj(Reductions::callee).iterator())
          .add(new Reduction("the last iteration", Reductions::lastIteration))
          .add(SINGLE_STATE, TUPLE_PARAMETERS, TUPLES)
          .build();

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
    return Optional.of(at)
        .filter(loop -> isLoop(loop) && known.isInEntry(loop))
        .flatMap(loop -> known.value(loop.called().get(1).parameters().get(0)))
        .map(state ->
            (draft, loop) ->
                draft.inlined(loop.called().get(1), List.of(draft.value(loop, state))));
  }

  /** Removes some of the arrays that an op works on together, such as elements of loop states. */
  static Reduction without(Set<Integer> numbers) {
    return new Reduction(
        "arrays",
        (known, at) ->
            Optional.of(Sets.intersection(Together.removable(at), numbers))
                .filter(some -> !some.isEmpty() && some.size() < Together.count(at))
                .map(some -> Together.without(some)));
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

  /** Reduces or scatters a scalar, the first element, in place of an array. */
  private static final Reduction SCALARS =
      new Reduction(
          "scalars",
          (known, at) ->
              (at.op() instanceof Reduce
                      || at.op() instanceof ReduceWindow
                      || at.op() instanceof Scatter)
                  && at.shape() instanceof Shape.Array
                  && at.operands().get(0).arrayShape().rank() > 0
                  && at.operands().get(0).arrayShape().elementCount() > 0
                  && at.operands().getLast().arrayShape().elementCount() > 0,
          Reductions::ofScalar);

  private static HloInstruction ofScalar(Draft draft, HloInstruction at) {
    Op op =
        SimplerOps.with(
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
      ElementType type = each.arrayShape().elementType();
      boolean isIndex = at.op() instanceof Scatter && scalars.size() == 1;
      scalars.add(
          isIndex
              ? draft.zeros(Shape.of(type, 0))
              : draft.add(each.name(), new Reshape(Shape.of(type)), first(draft, each)));
    }
    HloInstruction result = draft.add(at.name(), op, scalars, at.called());
    Shape.Array shape = (Shape.Array) at.shape().withoutLayout();
    return draft.add(
        at.name(),
        shape.elementCount() == 1 ? new Reshape(shape) : new Broadcast(shape, Dims.of()),
        result);
  }

  /** Returns an array of the first element. */
  private static HloInstruction first(Draft draft, HloInstruction operand) {
    Dims one = Dims.filled(operand.arrayShape().rank(), 1);
    return operand.arrayShape().elementCount() == 1
        ? operand
        : draft.add(operand.name(), Movement.first(one), operand);
  }

  /** Replaces a convolution of several groups by that of the first group, padded with zeros. */
  private static final Reduction ONE_GROUP =
      new Reduction(
          "one group",
          (known, at) ->
              at.op() instanceof Convolution op
                  && op.featureGroupCount() * op.batchGroupCount() > 1
                  && !at.shape().isDynamic(),
          Reductions::firstGroup);

  private static HloInstruction firstGroup(Draft draft, HloInstruction at) {
    Convolution op = (Convolution) at.op();
    ConvolutionDimensionNumbers labels = op.dimLabels();
    long groups = op.featureGroupCount() * op.batchGroupCount();
    int split =
        op.featureGroupCount() > 1 ? labels.inputFeatureDimension() : labels.inputBatchDimension();
    HloInstruction one =
        draft.add(
            at.name(),
            op.withFeatureGroupCount(1).withBatchGroupCount(1),
            part(draft, at.operands().get(0), split, groups),
            part(draft, at.operands().get(1), labels.kernelOutputFeatureDimension(), groups));
    HloInstruction zero = draft.zeros(Shape.of(at.arrayShape().elementType()));
    return draft.add(
        "pad", Movement.filled(one.arrayShape().sizes(), at.arrayShape().sizes()), one, zero);
  }

  private static HloInstruction part(
      Draft draft, HloInstruction operand, int dimension, long groups) {
    Dims sizes = operand.arrayShape().sizes();
    long size = sizes.get(dimension) / groups;
    return draft.add(operand.name(), Movement.first(sizes.with(dimension, size)), operand);
  }

  /** Replaces instructions of called computations by zeros. */
  private static final Reduction ZEROS =
      new Reduction(
          "zeros",
          (known, at) -> known.isInner(at) && isArray(at) && !isZero(at),
          (draft, at) -> draft.zeros(at.shape()));

  private static boolean isZero(HloInstruction at) {
    return at.op() instanceof Broadcast && at.operands().get(0).op() instanceof Constant;
  }

  /**
   * Replaces what is given to the entry, and what called computations have, by the first parameter
   * or constant of the same shape.
   */
  private static final Reduction SAME =
      new Reduction(
          "same value",
          (known, at) ->
              Optional.of(at)
                  .filter(any ->
                      known.isInEntry(at) ? Known.isGiven(at) : !(at.op() instanceof Parameter))
                  .flatMap(any ->
                      known
                          .before(at)
                          .filter(Known::isGiven)
                          .filter(other -> other.shape().compatible(at.shape()))
                          .findFirst())
                  .map(other -> (draft, old) -> other));

  /** Gives instructions of called computations the parameters as operands. */
  private static final Reduction ON_PARAMETERS =
      new Reduction(
          "on parameters",
          (known, at) -> known.isInner(at) && at.operands().size() > 1,
          (draft, at) -> {
            int count = at.operands().size();
            List<HloInstruction> given =
                draft.instructions().stream()
                    .filter(each -> each.op() instanceof Parameter)
                    .limit(count)
                    .toList();
            return draft.fitted(given.size() == count ? at.withOperands(given) : at, at.op());
          });

  /** Simplifies the ops. */
  private static Reduction ops(String name, BiFunction<String, Object, Object> simpler) {
    return new Reduction(
        name,
        (known, at) -> !SimplerOps.with(at.op(), simpler).equals(at.op()),
        (draft, at) -> draft.fitted(at, SimplerOps.with(at.op(), simpler)));
  }

  /** What makes computations simpler, in this order. */
  static final ImmutableList<Reduction> SIMPLER =
      ImmutableList.<Reduction>builder()
          .addAll(IntStream.range(0, MAX_OPERANDS).mapToObj(Reductions::operand).iterator())
          .add(VALUES, SAME, ON_PARAMETERS, ZEROS, DEAD)
          .build();

  /** What makes ops simpler. */
  static final ImmutableList<Reduction> ATTRIBUTES =
      Stream.concat(
              SimplerOps.CHANGES.entrySet().stream()
                  .map(each -> ops(each.getKey(), each.getValue())),
              Stream.of(ONE_GROUP, SCALARS))
          .collect(toImmutableList());
}
