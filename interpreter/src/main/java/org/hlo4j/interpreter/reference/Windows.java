package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;

/** Ops on sliding windows, reduce-window and select-and-scatter; and map. */
final class Windows {
  private Windows() {}

  /** {@code result[place] = body(... body(body(init, under[0]), under[1]) ..., under[n])} */
  static Literal reduceWindow(
      ReduceWindow op, List<Literal> in, Shape shape, HloComputation body, Execution execution) {
    int count = in.size() / 2;
    List<Literal> inputs = in.subList(0, count);
    List<Literal> inits = in.subList(count, 2 * count);
    List<LiteralBuilder> results =
        Reductions.shapes(shape).stream()
            .map(part -> new LiteralBuilder((Shape.Array) part))
            .toList();
    boolean plainSum = count == 1 && Reductions.isPlainSum(body, inputs.get(0));
    SlidingWindow.over(op.window(), inputs.get(0).arrayShape().sizes())
        .forEach((place, overlap) -> {
          execution.checkLimits();
          if (plainSum && overlap.base().length > 0) {
            results.get(0).setDouble(place, sum(inputs.get(0), inits.get(0), overlap.base()));
            return;
          }
          List<Literal> reduced = reduce(body, inputs, inits, overlap.base(), execution);
          for (int i = 0; i < count; i++) {
            results.get(i).copy(place, reduced.get(i), 0);
          }
        });
    List<Literal> literals = results.stream().map(LiteralBuilder::build).toList();
    return count == 1 ? literals.get(0) : Literal.tuple(literals);
  }

  private static List<Literal> reduce(
      HloComputation body,
      List<Literal> inputs,
      List<Literal> inits,
      int[] positions,
      Execution execution) {
    List<Literal> accumulators = inits;
    for (int position : positions) {
      List<Literal> elements = Reductions.elements(inputs, position);
      accumulators = Reductions.apply(body, accumulators, elements, execution);
    }
    return accumulators;
  }

  private static double sum(Literal input, Literal init, int[] positions) {
    double sum = init.doubleAt(0);
    for (int i = 0; i < positions.length; i++) {
      Limits.checkAt(i);
      sum += input.doubleAt(positions[i]);
    }
    return sum;
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
