package org.hlo4j.interpreter.compiled.reduce;

import java.util.List;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * The maximum or minimum of the next row, computed by the loop over the current row. It has as many
 * accumulators as a vector has lanes, since the result does not depend on the order. A loop that
 * waits for divisions has time for it.
 */
final class PrefetchingExtremum implements Prefetch {
  private final ReduceLoopWriter writer;
  private final CodeEmitter emitter;
  private final SingleOpReducer single;
  private final AccumulatorState accumulatorState;
  private final int array;
  private final int position;
  private final int accumulators;
  private final int first;
  private final Value variable;

  /** Creates the reduction of the array of an index; the next array holds the accumulators. */
  PrefetchingExtremum(ReduceLoopWriter writer, int number, SingleOpReducer single) {
    this.writer = writer;
    this.emitter = writer.emitter();
    this.single = single;
    this.accumulatorState = new AccumulatorState(emitter, single);
    this.array = writer.array(number, single.type());
    this.position = writer.position(number);
    this.accumulators = writer.array(number + 1, single.wide());
    this.first = writer.position(number + 1);
    Value begun = emitter.load(single.wide(), accumulators, first);
    this.variable = emitter.variable(accumulatorState.toCarried(begun));
  }

  @Override
  public void iteration() {
    emitter.markLoopCarried(List.of(variable));
    Value element = emitter.load(single.type(), array, writer.index(position, 0));
    emitter.assign(variable, accumulatorState.reduce(variable, element));
  }

  @Override
  public void end() {
    emitter.markLoopCarried(List.of(variable));
    emitter.store(single.wide(), accumulators, first, accumulatorState.fromCarried(variable));
  }
}
