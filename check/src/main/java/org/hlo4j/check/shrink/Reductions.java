package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/** The reductions. */
final class Reductions {
  private static final int MAX_CALLEES = 8;

  private Reductions() {}

  /** Removes instructions that the root does not need. */
  static final Reduction DEAD =
      new Reduction(
          "dead code",
          (program, values) ->
              computations(program)
                  .flatMap(each -> Trimmed.dead(each).stream())
                  .map(dead -> Edit.of(dead, Reductions::copied))
                  .collect(toImmutableList()));

  /** Replaces instructions of the entry by parameters with their values. */
  static final Reduction VALUES =
      new Reduction(
          "values",
          (program, values) ->
              program.module().entry().instructions().reverse().stream()
                  .filter(each -> !isGiven(each))
                  .flatMap(each -> value(each, values).stream())
                  .collect(toImmutableList()));

  /** Takes tuples apart: parameters that are tuples, and elements of known tuples. */
  static final Reduction TUPLES =
      everywhere(
          "tuples",
          at ->
              at.op() instanceof GetTupleElement element
                      && at.operands().get(0).op() instanceof Tuple
                  ? Optional.of(element(element))
                  : Optional.empty());

  private static Edit.Change element(GetTupleElement element) {
    return (draft, old, operands) ->
        operands.get(0).op() instanceof Tuple
            ? operands.get(0).operands().get(element.index())
            : copied(draft, old, operands);
  }

  /** Replaces parameters of the entry that are tuples by one for each element. */
  static final Reduction TUPLE_PARAMETERS =
      new Reduction(
          "tuple parameters",
          (program, values) -> {
            Map<String, Literal> arguments = Rewrite.arguments(program);
            return program.module().entry().parameters().stream()
                .filter(each -> each.shape() instanceof Shape.Tuple)
                .map(each -> Edit.of(each, apart(requireNonNull(arguments.get(each.name())))))
                .collect(toImmutableList());
          });

  private static Edit.Change apart(Literal tuple) {
    return (draft, old, operands) ->
        draft.add(
            old.name(),
            new Tuple(),
            IntStream.range(0, tuple.elements().size())
                .mapToObj(i -> draft.parameter(old.name() + "." + i, tuple.element(i)))
                .toList());
  }

  /** Replaces calls, fusions, branches and loops by what they call. */
  static ImmutableList<Reduction> inlining() {
    ImmutableList.Builder<Reduction> all = ImmutableList.builder();
    all.add(
        everywhere("inlining", at -> Optional.of(at).filter(Inlining::isCall).map(Inlining::of)));
    all.add(everywhere("one iteration", at -> loop(at, draft -> Optional.empty())));
    all.add(
        new Reduction(
            "the last iteration",
            (program, values) ->
                program.module().entry().instructions().stream()
                    .filter(at -> at.op() instanceof While)
                    .flatMap(at ->
                        loop(at, draft -> values.of(at.called().get(1).parameters().get(0)))
                            .map(change -> Edit.of(at, change))
                            .stream())
                    .collect(toImmutableList())));
    for (int i = 0; i < MAX_CALLEES; i++) {
      int branch = i;
      all.add(
          everywhere(
              "branch " + i,
              at ->
                  at.op() instanceof Conditional && branch < at.called().size()
                      ? Optional.of(Inlining.branch(branch))
                      : Optional.empty()));
    }
    return all.build();
  }

  private static Optional<Edit.Change> loop(
      HloInstruction at, Function<Draft, Optional<Literal>> state) {
    return at.op() instanceof While
        ? Optional.of((draft, old, operands) ->
            draft.inlined(
                old.called().get(1),
                state
                    .apply(draft)
                    .map(value -> ImmutableList.of(draft.value(old, value)))
                    .orElse(operands)))
        : Optional.empty();
  }

  /** Removes the elements of loop states that stay the same, of each loop together. */
  static final Reduction UNCHANGED_STATE =
      everywhere(
          "unchanged loop state",
          at ->
              Optional.of(LoopStates.unchanged(at))
                  .filter(some -> !some.isEmpty())
                  .map(LoopStates::without));

  /** Removes an element of loop states. */
  static Reduction stateElement(int element) {
    return everywhere(
        "loop state " + element,
        at ->
            LoopStates.removable(at).contains(element)
                ? Optional.of(LoopStates.without(ImmutableSet.of(element)))
                : Optional.empty());
  }

  /** Returns the last element that can be removed from a loop state; -1 if there is none. */
  static int lastStateElement(Program program) {
    return computations(program)
        .flatMap(each -> each.instructions().stream())
        .flatMap(each -> LoopStates.removable(each).stream())
        .reduce(-1, Math::max);
  }

  /** Replaces instructions by an operand of the same shape. */
  static Reduction operand(int number) {
    return everywhere(
        "operand " + number,
        at ->
            number < at.operands().size()
                    && at.operands().get(number).shape().compatible(at.shape())
                ? Optional.of((draft, old, operands) -> operands.get(number))
                : Optional.empty());
  }

  /** Replaces a parameter by an earlier one of the same shape. */
  static final Reduction SAME =
      new Reduction(
          "same parameter",
          (program, values) -> {
            List<HloInstruction> parameters = program.module().entry().parameters();
            return parameters.stream()
                .flatMap(each ->
                    earlier(program.module().entry(), each)
                        .map(other -> Edit.of(each, other))
                        .stream())
                .collect(toImmutableList());
          });

  private static Optional<Edit.Change> earlier(HloComputation entry, HloInstruction parameter) {
    for (HloInstruction other : entry.instructions()) {
      if (other == parameter) {
        return Optional.empty();
      }
      if (other.op() instanceof Parameter && other.shape().compatible(parameter.shape())) {
        return Optional.of((draft, old, operands) ->
            draft.instructions().stream()
                .filter(each -> each.name().equals(other.name()))
                .findFirst()
                .orElseGet(() -> copied(draft, old, operands)));
      }
    }
    return Optional.empty();
  }

  /** Replaces instructions of called computations by zeros. */
  static final Reduction ZEROS =
      new Reduction(
          "zeros",
          (program, values) ->
              computations(program)
                  .filter(each -> each != program.module().entry())
                  .flatMap(each -> each.instructions().stream())
                  .filter(each -> !isGiven(each) && !isZero(each))
                  .filter(each -> each.shape().withoutLayout() instanceof Shape.Array)
                  .map(each -> Edit.of(each, Reductions::zero))
                  .collect(toImmutableList()));

  private static boolean isZero(HloInstruction at) {
    return at.op() instanceof Broadcast && at.operands().get(0).op() instanceof Constant;
  }

  private static HloInstruction zero(
      Draft draft, HloInstruction old, ImmutableList<HloInstruction> operands) {
    Shape.Array shape = (Shape.Array) old.shape().withoutLayout();
    Literal scalar = Literal.zeros(Shape.of(shape.elementType()));
    return shape.isScalar()
        ? draft.constant(draft.fresh("zero"), scalar)
        : draft.add(
            "zeros",
            new Broadcast(shape, Dims.of()),
            List.of(draft.add("zero", new Constant(scalar), List.of())));
  }

  /** Changes the values of constants and arguments. */
  static Reduction literals(String name, UnaryOperator<Literal> simpler) {
    return new Reduction(
        name,
        (program, values) -> {
          Map<String, Literal> arguments = Rewrite.arguments(program);
          return computations(program)
              .flatMap(each -> each.instructions().stream())
              .flatMap(at -> simpler(at, arguments, simpler).stream())
              .collect(toImmutableList());
        });
  }

  private static Optional<Edit> simpler(
      HloInstruction at, Map<String, Literal> arguments, UnaryOperator<Literal> simpler) {
    Optional<Literal> value =
        at.op() instanceof Constant constant
            ? Optional.of(constant.literal())
            : Optional.ofNullable(arguments.get(at.name()));
    return value
        .filter(was -> was.shape() instanceof Shape.Array && !was.isElided())
        .flatMap(was ->
            Optional.of(simpler.apply(was))
                .filter(now -> !now.equals(was))
                .map(now -> Edit.of(at, put(now))));
  }

  /** Returns the change of the value of a constant or a parameter. */
  static Edit.Change put(Literal now) {
    return (draft, old, operands) ->
        old.op() instanceof Constant
            ? draft.add(Rewrite.copy(old, new Constant(now), operands, List.of()))
            : draft.value(old, now);
  }

  /** Simplifies the ops. */
  static Reduction ops(String name, BiFunction<String, Object, Object> simpler) {
    return everywhere(
        name,
        at -> {
          Op op = SimplerOps.with(at.op(), simpler);
          return op.equals(at.op())
              ? Optional.empty()
              : Optional.of((draft, old, operands) ->
                  draft.add(Rewrite.copy(old, op, operands, old.called())));
        });
  }

  static Reduction everywhere(String name, Function<HloInstruction, Optional<Edit.Change>> change) {
    BiFunction<Program, Values, ImmutableList<Edit>> edits =
        (program, values) ->
            computations(program)
                .flatMap(each -> each.instructions().stream())
                .flatMap(at -> change.apply(at).map(it -> Edit.of(at, it)).stream())
                .collect(toImmutableList());
    return new Reduction(name, edits);
  }

  private static Stream<HloComputation> computations(Program program) {
    return program.module().computations().stream();
  }

  static boolean isGiven(HloInstruction at) {
    return at.op() instanceof Parameter || at.op() instanceof Constant;
  }

  /** Returns the edit that replaces an instruction by its value, if that is known. */
  static Optional<Edit> value(HloInstruction at, Values values) {
    return at.shape().withoutLayout() instanceof Shape.Array
        ? values.of(at).map(value -> Edit.of(at, (draft, old, operands) -> draft.value(old, value)))
        : Optional.empty();
  }

  private static HloInstruction copied(
      Draft draft, HloInstruction old, ImmutableList<HloInstruction> operands) {
    return draft.add(Rewrite.copy(old, old.op(), operands, old.called()));
  }
}
