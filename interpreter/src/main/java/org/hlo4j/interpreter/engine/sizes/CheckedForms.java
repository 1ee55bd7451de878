package org.hlo4j.interpreter.engine.sizes;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/** Computations that also say whether no start is refused. */
final class CheckedForms {
  private static final Elementwise AND = new Elementwise(Elementwise.Kind.AND);

  private final Computations computations;

  CheckedForms(Computations computations) {
    this.computations = computations;
  }

  /** Returns a branch that gives a tuple of its value and of whether no start is refused. */
  HloComputation of(SizedComputation branch) {
    if (branch.isChecked()) {
      return branch.computation();
    }
    ComputationBuilder checked = new ComputationBuilder(computations);
    HloComputation given = branch.computation();
    HloInstruction argument = parameter(checked, given.parameters().get(0).shape());
    HloInstruction value = checked.add("value", new Call(), List.of(argument), List.of(given));
    return checked.build(given.name(), checked.add("both", new Tuple(), value, yes(checked)));
  }

  private static HloInstruction parameter(ComputationBuilder builder, Shape shape) {
    return builder.add("state", new Parameter(0, shape.withoutLayout()));
  }

  static HloInstruction yes(ComputationBuilder builder) {
    return builder.constant("in_place", Literal.of(true));
  }

  /**
   * Writes a loop that ends once a start is refused. Its state is that of the given loop, and
   * whether no start was refused.
   *
   * @param name the name of the given loop
   * @param init its state at the beginning
   * @param inPlace whether no start was refused before; if one was, the loop takes no step
   * @param condition its condition
   * @param step its body
   * @param caller where the loop is written
   * @return a tuple of its last state and of whether no start was refused
   */
  HloInstruction loop(
      String name,
      HloInstruction init,
      HloInstruction inPlace,
      HloComputation condition,
      SizedComputation step,
      ComputationBuilder caller) {
    HloInstruction begin = with(caller, init, inPlace);
    HloInstruction loop =
        caller.add(
            name + ".checked",
            new While(),
            List.of(begin),
            List.of(condition(condition, begin.shape()), body(step, begin.shape())));
    int last = ((Shape.Tuple) begin.shape()).elements().size() - 1;
    return caller.add(
        name + ".both",
        new Tuple(),
        without(caller, loop, init.shape()),
        caller.element(loop, last));
  }

  private HloComputation condition(HloComputation condition, Shape both) {
    ComputationBuilder builder = new ComputationBuilder(computations);
    HloInstruction argument = parameter(builder, both);
    HloInstruction state =
        without(builder, argument, condition.parameters().get(0).shape().withoutLayout());
    HloInstruction goesOn = builder.add("goes_on", new Call(), List.of(state), List.of(condition));
    int last = ((Shape.Tuple) both).elements().size() - 1;
    return builder.build(
        condition.name(), builder.add("both", AND, goesOn, builder.element(argument, last)));
  }

  private HloComputation body(SizedComputation step, Shape both) {
    ComputationBuilder builder = new ComputationBuilder(computations);
    HloInstruction argument = parameter(builder, both);
    HloInstruction state = without(builder, argument, step.result());
    HloInstruction next = builder.add("next", new Call(), List.of(state), List.of(of(step)));
    return builder.build(
        step.computation().name(),
        with(builder, builder.element(next, 0), builder.element(next, 1)));
  }

  /** Returns the elements of a state, if it is a tuple, and a pred behind them. */
  private static HloInstruction with(
      ComputationBuilder builder, HloInstruction state, HloInstruction pred) {
    List<HloInstruction> all = new ArrayList<>();
    if (state.shape() instanceof Shape.Tuple tuple) {
      IntStream.range(0, tuple.elements().size()).forEach(i -> all.add(builder.element(state, i)));
    } else {
      all.add(state);
    }
    all.add(pred);
    return builder.add("both", new Tuple(), all.toArray(HloInstruction[]::new));
  }

  /** Returns the state of which {@link #with} made a tuple. */
  private static HloInstruction without(
      ComputationBuilder builder, HloInstruction both, Shape state) {
    if (!(state instanceof Shape.Tuple tuple)) {
      return builder.element(both, 0);
    }
    HloInstruction[] elements =
        IntStream.range(0, tuple.elements().size())
            .mapToObj(i -> builder.element(both, i))
            .toArray(HloInstruction[]::new);
    return builder.add("state", new Tuple(), elements);
  }
}
