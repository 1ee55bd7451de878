package org.hlo4j.interpreter.reference;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.interpreter.engine.DynamicShapes;
import org.hlo4j.interpreter.engine.Execution;

/** The control flow ops: while, conditional and the start of asynchronous computations. */
final class ControlFlow {
  private static final boolean[] NOTHING = {};

  private ControlFlow() {}

  /** {@code while (condition(state)) state = body(state)} */
  @SuppressWarnings("ReferenceEquality") // a state that was not cut is the one that the body gave
  static Literal whileLoop(HloInstruction loop, Literal init, Execution execution) {
    HloComputation condition = loop.called().get(0);
    HloComputation body = loop.called().get(1);
    boolean hasBounds = DynamicShapes.hasDynamicShape(loop);
    boolean[] donated = NOTHING;
    Literal state = init;
    while (execution
        .call(condition, hasBounds ? entering(loop, condition, state, execution) : state)
        .booleanAt(0)) {
      Literal given = hasBounds ? entering(loop, body, state, execution) : state;
      state = execution.call(body, given == state ? donated : NOTHING, given);
      donated = execution.freshResults(body);
    }
    return hasBounds
        ? EnteringValues.of(loop, loop.shape(), state, execution.wholeArrays())
        : state;
  }

  private static Literal entering(
      HloInstruction caller, HloComputation called, Literal argument, Execution execution) {
    Shape declared = called.parameters().get(0).shape();
    return EnteringValues.of(caller, declared, argument, execution.wholeArrays());
  }

  /** {@code branches[index](operands[index])} */
  static Literal conditional(
      Conditional op, HloInstruction instruction, List<Literal> in, Execution execution) {
    List<HloComputation> branches = instruction.called();
    int branch = op.branch(in.get(0).longAt(0), branches.size());
    HloComputation taken = branches.get(branch);
    return execution.call(
        taken, List.of(entering(instruction, taken, in.get(branch + 1), execution)));
  }

  /** Runs the computation immediately and returns {@code ((operands), result, contexts)}. */
  static Literal asyncStart(
      List<Literal> in, Shape shape, HloComputation computation, Execution execution) {
    List<Literal> parts = new ArrayList<>();
    parts.add(Literal.tuple(in));
    parts.add(execution.call(computation, in));
    List<Shape> shapes = ((Shape.Tuple) shape).elements();
    shapes.subList(2, shapes.size()).forEach(context -> parts.add(zeros(context)));
    return Literal.tuple(parts);
  }

  /** Returns zeros in place of a value that nobody reads. */
  static Literal zeros(Shape shape) {
    return switch (shape) {
      case Shape.Array array -> Literal.zeros(array);
      case Shape.Tuple tuple ->
          Literal.tuple(tuple.elements().stream().map(ControlFlow::zeros).toList());
      case Shape.Buffer buffer -> Literal.zeros(buffer.array());
      case Shape.Token token -> Literal.token();
      case Shape.Opaque opaque ->
          throw new HloException("", "run: got opaque[], want a shape that has a value");
    };
  }
}
