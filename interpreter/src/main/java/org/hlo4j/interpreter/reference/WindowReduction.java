package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;

/**
 * A reduction that takes elements of the inputs one by one, and whose value so far can be stored as
 * often as wanted. Sums of floats are kept in double and rounded where they are stored.
 */
final class WindowReduction {
  private final List<Literal> inputs;
  private final List<Literal> inits;
  private final HloComputation body;
  private final Execution execution;
  private final List<LiteralBuilder> results;
  private final boolean isPlainSum;
  private List<Literal> accumulators;
  private double sum;
  private int taken;

  WindowReduction(List<Literal> in, Shape shape, HloComputation body, Execution execution) {
    this.inputs = in.subList(0, in.size() / 2);
    this.inits = in.subList(in.size() / 2, in.size());
    this.body = body;
    this.execution = execution;
    this.results =
        Reductions.shapes(shape).stream()
            .map(part -> new LiteralBuilder((Shape.Array) part))
            .toList();
    this.isPlainSum = inputs.size() == 1 && Reductions.isPlainSum(body, inputs.get(0));
    this.accumulators = inits;
  }

  /** Begins with the initial values. */
  void begin() {
    accumulators = inits;
    sum = isPlainSum ? inits.get(0).doubleAt(0) : 0;
    taken = 0;
  }

  /** Takes the elements at a position: {@code accumulators = body(accumulators, elements)} */
  void take(int position) {
    Limits.checkAt(taken++);
    if (isPlainSum) {
      sum += inputs.get(0).doubleAt(position);
    } else {
      List<Literal> elements = Reductions.elements(inputs, position);
      accumulators = Reductions.apply(body, accumulators, elements, execution);
    }
  }

  /** Makes the value so far the result at a place. */
  void store(int place) {
    execution.checkLimits();
    if (isPlainSum && taken > 0) {
      results.get(0).setDouble(place, sum);
      return;
    }
    for (int i = 0; i < results.size(); i++) {
      results.get(i).copy(place, accumulators.get(i), 0);
    }
  }

  List<Literal> results() {
    return results.stream().map(LiteralBuilder::build).toList();
  }
}
