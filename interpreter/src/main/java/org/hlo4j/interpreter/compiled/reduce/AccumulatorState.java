package org.hlo4j.interpreter.compiled.reduce;

import java.util.Optional;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.FloatOrder;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.Reducer;
import org.jspecify.annotations.Nullable;

/**
 * The carried value of a reduction by a single op: the accumulator itself or, for the maximum or
 * minimum of floats, an integer key in the order of a {@link FloatOrder}.
 */
final class AccumulatorState {
  private final CodeEmitter emitter;
  private final SingleOpReducer single;
  private final @Nullable FloatOrder order;

  AccumulatorState(CodeEmitter emitter, SingleOpReducer single) {
    this.emitter = emitter;
    this.single = single;
    this.order =
        single.type().isFloating() && single.isChoice()
            ? new FloatOrder(
                emitter, Lane.of(single.type()), single.kind() == Elementwise.Kind.MAXIMUM)
            : null;
  }

  /**
   * {@return the state of a reducer if it is the maximum or minimum of floats and has one result,
   * or has several accumulators; empty otherwise}
   */
  static Optional<AccumulatorState> of(CodeEmitter emitter, Reducer body, int accumulators) {
    return Optional.of(body)
        .filter(reducer -> reducer.count() == 1 && reducer.single().isPresent())
        .map(reducer -> new AccumulatorState(emitter, SingleOpReducer.of(reducer)))
        .filter(state -> state.order != null || accumulators > 1);
  }

  /** {@return the carried value before the first iteration: the neutral element} */
  Value neutral() {
    return toCarried(emitter.constant(Lane.of(single.wide()), single.neutralNumber()));
  }

  /** {@return the carried value that continues from an already reduced value} */
  Value toCarried(Value reduced) {
    return order != null ? order.key(reduced) : reduced;
  }

  /** {@return the carried value after an iteration that reduces one more element} */
  Value reduce(Value carried, Value element) {
    return order != null
        ? order.winner(carried, order.key(element))
        : single.write(emitter, carried, element);
  }

  /** {@return the reduced value that a carried value stands for} */
  Value fromCarried(Value carried) {
    return order != null ? order.value(carried) : carried;
  }
}
