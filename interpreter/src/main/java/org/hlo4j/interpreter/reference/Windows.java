package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.interpreter.engine.Effects;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;

/** Ops on sliding windows, reduce-window and select-and-scatter; and map. */
final class Windows {
  private Windows() {}

  /** {@code result[place] = body(... body(body(init, under[0]), under[1]) ..., under[n])} */
  static Literal reduceWindow(
      ReduceWindow op, List<Literal> in, Shape shape, HloComputation body, Execution execution) {
    SlidingWindow window = SlidingWindow.over(op.window(), in.get(0).arrayShape().sizes());
    WindowReduction reduction = new WindowReduction(in, shape, body, execution);
    boolean isInAnyOrder = Reductions.isInAnyOrder(body, in.get(0));
    boolean hasEffect = new Effects().containsEffect(body);
    if (hasEffect || !RunningReduction.tryReduce(window, isInAnyOrder, reduction)) {
      window.forEach((place, overlap) -> {
        reduction.begin();
        for (int position : overlap.base()) {
          reduction.take(position);
        }
        reduction.store(place);
      });
    }
    return Reductions.result(reduction.results(), shape);
  }

  /** {@code result[selected] = scatter(source[place], result[selected])}, starting with init */
  static Literal selectAndScatter(
      SelectAndScatter op,
      List<Literal> in,
      HloComputation select,
      HloComputation scatter,
      Execution execution) {
    Literal operand = in.get(0);
    Literal source = in.get(1);
    Dims sizes = operand.arrayShape().sizes();
    Literal[] result = new Literal[operand.elementCount()];
    SlidingWindow.over(op.window(), sizes)
        .forEach((place, overlap) -> {
          execution.checkLimits();
          if (overlap.base().length > 0) {
            int at = findSelected(operand, overlap.base(), select, execution);
            Literal accumulator = result[at] == null ? in.get(2) : result[at];
            result[at] = execution.call(scatter, List.of(element(source, place), accumulator));
          }
        });
    LiteralBuilder scattered = new LiteralBuilder(operand.arrayShape());
    for (int i = 0; i < result.length; i++) {
      Limits.checkAt(i);
      scattered.copy(i, result[i] == null ? in.get(2) : result[i], 0);
    }
    return scattered.build();
  }

  /** Returns the position of the element that select keeps against all that follow. */
  private static int findSelected(
      Literal operand, int[] positions, HloComputation select, Execution execution) {
    int kept = positions[0];
    for (int i = 1; i < positions.length; i++) {
      List<Literal> pair = List.of(element(operand, kept), element(operand, positions[i]));
      kept = execution.call(select, pair).booleanAt(0) ? kept : positions[i];
    }
    return kept;
  }

  private static Literal element(Literal array, int position) {
    return Reductions.elements(List.of(array), position).get(0);
  }

  /** {@code result[i] = body(operands[0][i], operands[1][i], ...)} */
  static Literal map(
      List<Literal> operands, Shape.Array shape, HloComputation body, Execution execution) {
    LiteralBuilder result = new LiteralBuilder(shape);
    for (int i = 0; i < operands.get(0).elementCount(); i++) {
      result.copy(i, execution.call(body, Reductions.elements(operands, i)), 0);
    }
    return result.build();
  }
}
