package org.hlo4j.interpreter.reference;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.interpreter.engine.Execution;

/** The control flow ops: while, conditional and the start of asynchronous computations. */
final class ControlFlow {
  private ControlFlow() {}

  /** {@code while (condition(state)) state = body(state)} */
  static Literal whileLoop(Literal init, List<HloComputation> called, Execution execution) {
    HloComputation condition = called.get(0);
    HloComputation body = called.get(1);
    boolean[] donated = {};
    Literal state = init;
    while (execution.call(condition, state).booleanAt(0)) {
      state = execution.call(body, donated, state);
      donated = execution.freshResults(body);
    }
    return state;
  }

  /** {@code branches[index](operands[index])} */
  static Literal conditional(
      Conditional op, List<Literal> in, List<HloComputation> branches, Execution execution) {
    int branch = op.branch(in.get(0).longAt(0), branches.size());
    return execution.call(branches.get(branch), List.of(in.get(branch + 1)));
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
