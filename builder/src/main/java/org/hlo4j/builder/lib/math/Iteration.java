package org.hlo4j.builder.lib.math;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.Arithmetic;
import org.hlo4j.builder.lib.Constants;
import org.hlo4j.builder.lib.common.Floats;

/**
 * A while loop over arrays of the same shape, in which each element stops changing when it has
 * converged.
 *
 * @param goesOn the elements that had not converged after the largest number of steps
 * @param values the final values
 */
record Iteration(XlaOp goesOn, List<XlaOp> values) {
  static final int MAX_STEPS = 2000;

  /** The result of a step: as many values as its input, and which elements continue. */
  record Step(XlaOp goesOn, List<XlaOp> values) {}

  /** The body: computes step n, from 1, from loop-invariant operands and carried values. */
  interface Body {
    Step step(XlaOp n, List<XlaOp> operands, List<XlaOp> values);
  }

  static Iteration run(XlaOp starts, List<XlaOp> operands, List<XlaOp> values, Body body) {
    XlaBuilder b = starts.builder();
    List<XlaOp> state = new ArrayList<>();
    state.add(Constants.scalarLike(values.get(0), 1));
    state.add(starts);
    state.addAll(operands);
    state.addAll(values);
    int first = 2 + operands.size();
    XlaOp done =
        b.whileLoop(
            b.tuple(state),
            Iteration::condition,
            tuple -> next(parts(tuple, first + values.size()), first, body));
    List<XlaOp> reached = parts(done, first + values.size());
    return new Iteration(reached.get(1), reached.subList(first, reached.size()));
  }

  private static List<XlaOp> parts(XlaOp tuple, int count) {
    List<XlaOp> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      parts.add(tuple.getTupleElement(i));
    }
    return parts;
  }

  private static XlaOp condition(XlaOp tuple) {
    XlaOp n = tuple.getTupleElement(0);
    XlaOp withinLimit = n.le(Constants.scalarLike(n, MAX_STEPS));
    return Arithmetic.any(tuple.getTupleElement(1)).and(withinLimit);
  }

  private static XlaOp next(List<XlaOp> state, int first, Body body) {
    XlaOp n = state.get(0);
    XlaOp active = state.get(1);
    List<XlaOp> values = state.subList(first, state.size());
    Step step = body.step(n, state.subList(2, first), values);
    List<XlaOp> result = new ArrayList<>();
    result.add(Floats.plus(n, 1));
    result.add(active.and(step.goesOn()));
    result.addAll(state.subList(2, first));
    for (int i = 0; i < values.size(); i++) {
      result.add(active.select(step.values().get(i), values.get(i)));
    }
    return n.builder().tuple(result);
  }
}
