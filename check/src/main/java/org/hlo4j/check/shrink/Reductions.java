package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
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
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.hlo4j.hlo.op.Window;

/** The reductions. */
final class Reductions {
  private static final int MAX_CALLEES = 8;

  private Reductions() {}

  /** Removes instructions that the root does not need. */
  static final Reduction DEAD =
      new Reduction(
          "dead code",
          (program, values) ->
              program.module().computations().stream()
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
              when(
                  at.op() instanceof GetTupleElement && at.operands().get(0).op() instanceof Tuple,
                  (draft, old, operands) ->
                      old.op() instanceof GetTupleElement element
                              && operands.get(0).op() instanceof Tuple
                          ? operands.get(0).operands().get(element.index())
                          : copied(draft, old, operands)));

  /** Replaces parameters of the entry that are tuples by one for each element. */
  static final Reduction TUPLE_PARAMETERS =
      with(
          "tuple parameters",
          Arguments::of,
          (arguments, at) ->
              arguments
                  .at(at)
                  .filter(argument -> at.shape() instanceof Shape.Tuple)
                  .map(argument -> apart(arguments.program(), argument)));

  /** The arguments of a program, by the names of the parameters. */
  private record Arguments(Program program, Map<String, Literal> byName) {
    static Arguments of(Program program) {
      return new Arguments(program, Rewrite.arguments(program));
    }

    Optional<Literal> at(HloInstruction parameter) {
      return Optional.ofNullable(byName.get(parameter.name()));
    }
  }

  private static Edit.Change apart(Program program, Literal argument) {
    return (draft, old, operands) ->
        draft.add(
            old.name(),
            new Tuple(),
            IntStream.range(0, ((Shape.Tuple) old.shape()).elements().size())
                .mapToObj(i ->
                    draft.parameter(
                        old.name() + "." + i, program.changed(argument, tuple -> tuple.element(i))))
                .toList());
  }

  /** Replaces calls, fusions, branches and loops by what they call. */
  static ImmutableList<Reduction> inlining() {
    ImmutableList.Builder<Reduction> all = ImmutableList.builder();
    all.add(everywhere("inlining", at -> when(isCall(at), called(0, Optional.empty(), 0))));
    all.add(everywhere("one iteration", at -> when(isLoop(at), called(1, Optional.empty(), 0))));
    all.add(
        new Reduction(
            "the last iteration",
            (program, values) ->
                program.module().entry().instructions().stream()
                    .filter(Reductions::isLoop)
                    .map(at ->
                        Edit.of(
                            at, called(1, values.of(at.called().get(1).parameters().get(0)), 0)))
                    .collect(toImmutableList())));
    for (int i = 0; i < MAX_CALLEES; i++) {
      int branch = i;
      all.add(
          everywhere(
              "branch " + i,
              at ->
                  when(
                      at.op() instanceof Conditional && branch < at.called().size(),
                      called(branch, Optional.empty(), branch + 1))));
    }
    return all.build();
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

  /**
   * Returns the change to the instructions of a computation that is called.
   *
   * @param number which one
   * @param value its argument, if it is known
   * @param first the first of the operands that it takes otherwise
   */
  private static Edit.Change called(int number, Optional<Literal> value, int first) {
    return (draft, old, operands) -> {
      HloComputation callee = old.called().get(number);
      return draft.inlined(
          callee,
          value.isPresent()
              ? List.of(draft.value(old, value.get()))
              : operands.subList(first, first + callee.parameters().size()));
    };
  }

  /** Removes the elements of loop states that stay the same, of each loop together. */
  static final Reduction UNCHANGED_STATE =
      everywhere(
          "unchanged loop state",
          at -> {
            ImmutableSet<Integer> unchanged = Together.unchanged(at);
            return when(!unchanged.isEmpty(), Together.without(unchanged));
          });

  /** Makes the only element of a loop's state the state. */
  static final Reduction SINGLE_STATE =
      everywhere(
          "single loop state",
          at -> when(Together.isSingle(at), Together.without(ImmutableSet.of())));

  /** Removes one of several arrays, such as an element of loop states. */
  static Reduction element(int number) {
    return everywhere(
        "array " + number,
        at ->
            when(
                Together.removable(at).contains(number),
                Together.without(ImmutableSet.of(number))));
  }

  /** Replaces instructions by an operand of the same shape. */
  private static Reduction operand(int number) {
    return everywhere(
        "operand " + number,
        at ->
            when(
                number < at.operands().size()
                    && at.operands().get(number).shape().compatible(at.shape()),
                (draft, old, operands) -> operands.get(number)));
  }

  /** Reduces a scalar in place of an array of one element. */
  static final Reduction SCALARS =
      everywhere(
          "scalars",
          at ->
              when(
                  (at.op() instanceof Reduce || at.op() instanceof ReduceWindow)
                      && at.operands().size() == 2
                      && at.operands().get(0).shape() instanceof Shape.Array array
                      && array.rank() > 0
                      && array.elementCount() == 1,
                  Reductions::ofScalar));

  private static HloInstruction ofScalar(
      Draft draft, HloInstruction old, ImmutableList<HloInstruction> operands) {
    Op op =
        SimplerOps.with(
            old.op(), (name, value) -> value instanceof Dims ? Dims.of() : Window.of(Dims.of()));
    Shape scalar = operands.get(1).shape().withoutLayout();
    HloInstruction array = operands.get(0);
    HloInstruction one = draft.add(array.name(), new Reshape((Shape.Array) scalar), List.of(array));
    HloInstruction result = draft.add(old.name(), op, List.of(one, operands.get(1)), old.called());
    Shape.Array shape = (Shape.Array) old.shape().withoutLayout();
    return draft.add(array.name(), new Reshape(shape), List.of(result));
  }

  /** Replaces a parameter or constant by an earlier parameter of the same shape. */
  static final Reduction SAME =
      with("same parameter", program -> program.module().entry().instructions(), Reductions::same);

  private static Optional<Edit.Change> same(List<HloInstruction> entry, HloInstruction at) {
    return entry.stream()
        .takeWhile(other -> other != at)
        .filter(other -> isGiven(at) && entry.contains(at))
        .filter(other -> isGiven(other) && other.shape().compatible(at.shape()))
        .findFirst()
        .map(other ->
            (draft, old, operands) ->
                draft.instructions().stream()
                    .filter(each -> each.name().equals(other.name()))
                    .findFirst()
                    .orElseGet(() -> copied(draft, old, operands)));
  }

  /** Replaces instructions of called computations by zeros. */
  static final Reduction ZEROS =
      inCalled(
          "zeros",
          at -> !isZero(at) && at.shape().withoutLayout() instanceof Shape.Array,
          (draft, old, operands) -> draft.zeros(old.shape()));

  /** Replaces instructions of called computations by a parameter. */
  static final Reduction PARAMETERS = inCalled("parameters", at -> true, Reductions::parameter);

  private static HloInstruction parameter(
      Draft draft, HloInstruction old, ImmutableList<HloInstruction> operands) {
    return draft.instructions().stream()
        .filter(each -> each.op() instanceof Parameter)
        .filter(each -> each.shape().compatible(old.shape()))
        .findFirst()
        .orElseGet(() -> copied(draft, old, operands));
  }

  /** Gives instructions of called computations the parameters as operands. */
  static final Reduction ON_PARAMETERS =
      inCalled("on parameters", at -> at.operands().size() > 1, Reductions::onParameters);

  private static HloInstruction onParameters(
      Draft draft, HloInstruction old, ImmutableList<HloInstruction> operands) {
    ImmutableList<HloInstruction> parameters =
        draft.instructions().stream()
            .filter(each -> each.op() instanceof Parameter)
            .limit(operands.size())
            .collect(toImmutableList());
    return copied(draft, old, parameters.size() == operands.size() ? parameters : operands);
  }

  private static Reduction inCalled(
      String name, Predicate<HloInstruction> applies, Edit.Change change) {
    return with(
        name,
        program -> Set.copyOf(program.module().entry().instructions()),
        (entry, at) -> when(!entry.contains(at) && !isGiven(at) && applies.test(at), change));
  }

  private static boolean isZero(HloInstruction at) {
    return at.op() instanceof Broadcast && at.operands().get(0).op() instanceof Constant;
  }

  /** Changes the values of constants and arguments. */
  private static Reduction literals(String name, UnaryOperator<Literal> simpler) {
    return with(name, Arguments::of, (arguments, at) -> simpler(arguments, at, simpler));
  }

  private static Optional<Edit.Change> simpler(
      Arguments arguments, HloInstruction at, UnaryOperator<Literal> simpler) {
    if (!(at.shape().withoutLayout() instanceof Shape.Array)) {
      return Optional.empty();
    }
    if (at.op() instanceof Constant constant) {
      Literal was = constant.literal();
      return was.isElided() ? Optional.empty() : changed(was, simpler.apply(was));
    }
    return arguments.at(at).flatMap(was -> changed(was, arguments.program().changed(was, simpler)));
  }

  private static Optional<Edit.Change> changed(Literal was, Literal now) {
    return was.equals(now) ? Optional.empty() : Optional.of(put(now));
  }

  /** Returns the change of the value of a constant or a parameter. */
  static Edit.Change put(Literal now) {
    return (draft, old, operands) ->
        old.op() instanceof Constant
            ? draft.add(Rewrite.copy(old, new Constant(now), operands, List.of()))
            : draft.value(old, now);
  }

  /** Simplifies the ops. */
  private static Reduction ops(String name, BiFunction<String, Object, Object> simpler) {
    return everywhere(
        name,
        at -> {
          Op op = SimplerOps.with(at.op(), simpler);
          return when(
              !op.equals(at.op()),
              (draft, old, operands) -> draft.add(Rewrite.copy(old, op, operands, old.called())));
        });
  }

  private static Optional<Edit.Change> when(boolean applies, Edit.Change change) {
    return Optional.of(change).filter(each -> applies);
  }

  private static Reduction everywhere(
      String name, Function<HloInstruction, Optional<Edit.Change>> change) {
    return with(name, program -> program, (program, at) -> change.apply(at));
  }

  /** Returns the reduction by a change of instructions that follows from something of a program. */
  private static <T> Reduction with(
      String name,
      Function<Program, T> given,
      BiFunction<T, HloInstruction, Optional<Edit.Change>> change) {
    return new Reduction(
        name,
        (program, values) -> {
          T known = given.apply(program);
          return program
              .module()
              .instructions()
              .flatMap(at -> change.apply(known, at).map(it -> Edit.of(at, it)).stream())
              .collect(toImmutableList());
        });
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

  private static final int MAX_OPERANDS = 4;

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

  static final Reduction ONE_GROUP = everywhere("one group", ConvolutionGroups::first);

  /** What makes numbers simpler. */
  static final ImmutableList<Reduction> LITERALS =
      ImmutableList.of(
          literals("zeros", SimplerLiterals::zeros),
          literals("ones", SimplerLiterals::ones),
          literals("equal elements", SimplerLiterals::alike),
          literals("small numbers", SimplerLiterals::small),
          literals("shorter loops", SimplerLiterals::half));
}
