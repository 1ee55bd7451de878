package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.check.part.Draft;
import org.hlo4j.check.part.Rewrite;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
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

  /** Takes tuples apart: parameters of the entry that are tuples, and elements of known tuples. */
  static final ImmutableList<Reduction> TUPLES =
      ImmutableList.of(
          new Reduction(
              "tuple parameters",
              (known, at) ->
                  known
                      .literal(at, value -> value)
                      .filter(value -> at.shape() instanceof Shape.Tuple)
                      .map(value ->
                          (draft, old) ->
                              draft.given(old.name(), value, old.shape().withoutLayout()))),
          new Reduction(
              "tuples",
              (known, at) ->
                  at.op() instanceof GetTupleElement && at.operands().get(0).op() instanceof Tuple,
              (draft, at) ->
                  at.operands().get(0).operands().get(((GetTupleElement) at.op()).index())));

  /** Replaces calls, fusions, branches and loops by what they call. */
  static final ImmutableList<Reduction> INLINING =
      ImmutableList.<Reduction>builder()
          .add(new Reduction("inlining", (known, at) -> isCall(at), called(0, 0)))
          .add(new Reduction("one iteration", (known, at) -> isLoop(at), called(1, 0)))
          .add(new Reduction("the last iteration", Reductions::lastIteration))
          .addAll(
              IntStream.range(0, MAX_CALLEES)
                  .mapToObj(i ->
                      new Reduction(
                          "branch " + i,
                          (known, at) -> at.op() instanceof Conditional && i < at.called().size(),
                          called(i, i + 1)))
                  .iterator())
          .build();

  private static boolean isArray(HloInstruction at) {
    return at.shape() instanceof Shape.Array;
  }

  private static boolean isLoop(HloInstruction at) {
    return at.op() instanceof While;
  }

  /** Returns whether an op does no more than call a computation with its operands. */
  private static boolean isCall(HloInstruction at) {
    return at.called().size() == 1
        && at.called().get(0).root().shape().compatible(at.shape())
        && shapes(at.called().get(0).parameters()).equals(shapes(at.operands()));
  }

  private static List<Shape> shapes(List<HloInstruction> instructions) {
    return instructions.stream().map(each -> each.shape().withoutLayout()).toList();
  }

  /** Returns the change to what a computation does with operands from one on. */
  private static Rewrite.Change called(int number, int first) {
    return (draft, at) -> {
      HloComputation callee = at.called().get(number);
      int count = callee.parameters().size();
      return draft.inlined(callee, at.operands().subList(first, first + count));
    };
  }

  private static Optional<Rewrite.Change> lastIteration(Known known, HloInstruction at) {
    return Optional.of(at)
        .filter(loop -> isLoop(loop) && known.entry().contains(loop))
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

  /** Makes the only element of a loop's state the state. */
  static final Reduction SINGLE_STATE =
      new Reduction(
          "single loop state",
          (known, at) -> isLoop(at) && Together.count(at) == 1,
          Together.without(ImmutableSet.of()));

  /** Replaces instructions by an operand of the same shape. */
  private static Reduction operand(int number) {
    return new Reduction(
        "operand " + number,
        (known, at) ->
            number < at.operands().size()
                && at.operands().get(number).shape().compatible(at.shape()),
        (draft, at) -> at.operands().get(number));
  }

  /** Reduces a scalar in place of an array of one element. */
  static final Reduction SCALARS =
      new Reduction(
          "scalars",
          (known, at) ->
              (at.op() instanceof Reduce || at.op() instanceof ReduceWindow)
                  && at.operands().size() == 2
                  && at.operands().get(0).shape() instanceof Shape.Array array
                  && array.rank() > 0
                  && array.elementCount() == 1,
          Reductions::ofScalar);

  private static HloInstruction ofScalar(Draft draft, HloInstruction at) {
    Op op =
        SimplerOps.with(
            at.op(), (name, value) -> value instanceof Dims ? Dims.of() : Window.of(Dims.of()));
    HloInstruction array = at.operands().get(0);
    HloInstruction initial = at.operands().get(1);
    HloInstruction one = draft.add(array.name(), reshape(initial), array);
    HloInstruction result = draft.add(at.name(), op, List.of(one, initial), at.called());
    return draft.add(array.name(), reshape(at), result);
  }

  private static Op reshape(HloInstruction to) {
    return new Reshape((Shape.Array) to.shape().withoutLayout());
  }

  /** Replaces a convolution of several groups by that of the first group, padded with zeros. */
  static final Reduction ONE_GROUP =
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
    Constant zero = new Constant(Literal.zeros(Shape.of(((Shape.Array) at.shape()).elementType())));
    return draft.add("pad", Movement.filled(sizes(one), sizes(at)), one, draft.add("zero", zero));
  }

  private static HloInstruction part(
      Draft draft, HloInstruction operand, int dimension, long groups) {
    Dims sizes = sizes(operand);
    long size = sizes.get(dimension) / groups;
    return draft.add(operand.name(), Movement.first(sizes.with(dimension, size)), operand);
  }

  private static Dims sizes(HloInstruction at) {
    return ((Shape.Array) at.shape()).sizes();
  }

  /** Replaces a parameter or constant by the first of the same shape. */
  static final Reduction SAME =
      new Reduction(
          "same parameter",
          (known, at) ->
              known.entry().stream()
                  .takeWhile(other -> other != at)
                  .filter(other -> Known.isGiven(at) && known.entry().contains(at))
                  .filter(other -> Known.isGiven(other) && other.shape().compatible(at.shape()))
                  .findFirst()
                  .map(other -> (draft, old) -> other));

  /** Replaces instructions of called computations by zeros. */
  private static final Reduction ZEROS =
      new Reduction(
          "zeros",
          (known, at) -> known.isInner(at) && isArray(at) && !isZero(at),
          (draft, at) -> draft.zeros(at.shape()));

  private static boolean isZero(HloInstruction at) {
    return at.op() instanceof Broadcast && at.operands().get(0).op() instanceof Constant;
  }

  /** Replaces instructions of called computations by a parameter. */
  private static final Reduction PARAMETERS =
      new Reduction(
          "parameters",
          Known::isInner,
          (draft, at) ->
              parameters(draft)
                  .filter(each -> each.shape().compatible(at.shape()))
                  .findFirst()
                  .orElseGet(() -> draft.fitted(at, at.op())));

  private static Stream<HloInstruction> parameters(Draft draft) {
    return draft.instructions().stream().filter(each -> each.op() instanceof Parameter);
  }

  /** Gives instructions of called computations the parameters as operands. */
  private static final Reduction ON_PARAMETERS =
      new Reduction(
          "on parameters",
          (known, at) -> known.isInner(at) && at.operands().size() > 1,
          (draft, at) -> {
            int count = at.operands().size();
            List<HloInstruction> given = parameters(draft).limit(count).toList();
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
          .add(VALUES, PARAMETERS, ON_PARAMETERS, ZEROS, DEAD)
          .build();

  /** What makes ops simpler. */
  static final ImmutableList<Reduction> ATTRIBUTES =
      SimplerOps.CHANGES.entrySet().stream()
          .map(each -> ops(each.getKey(), each.getValue()))
          .collect(toImmutableList());
}
