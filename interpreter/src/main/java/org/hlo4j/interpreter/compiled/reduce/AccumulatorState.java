package org.hlo4j.interpreter.compiled.reduce;

import java.util.Optional;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.FloatOrder;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.jspecify.annotations.Nullable;

/** What a loop carries of a reduction by one op: accumulators, or what tells their order. */
final class AccumulatorState {
  private final CodeEmitter emitter;
  private final SingleOpReducer single;
  private final @Nullable FloatOrder order;

  AccumulatorState(CodeEmitter emitter, SingleOpReducer single) {
    this.emitter = emitter;
    this.single = single;
    this.order = order(emitter, single).orElse(null);
  }

  /**
   * The order by which a reduction of one value goes, if it is by the greater or lesser of floats.
   */
  static Optional<FloatOrder> order(CodeEmitter emitter, Reducer body) {
    return body.count() == 1 && body.single().isPresent()
        ? order(emitter, SingleOpReducer.of(body))
        : Optional.empty();
  }

  private static Optional<FloatOrder> order(CodeEmitter emitter, SingleOpReducer single) {
    boolean isMaximum = single.kind() == Elementwise.Kind.MAXIMUM;
    return single.type().isFloating() && (isMaximum || single.kind() == Elementwise.Kind.MINIMUM)
        ? Optional.of(new FloatOrder(emitter, Lane.of(single.type()), isMaximum))
        : Optional.empty();
  }

  /** What is carried before the first iteration. */
  Value neutral() {
    return begun(emitter.constant(Lane.of(single.wide()), single.neutralNumber()));
  }

  /** What is carried of what was reduced before. */
  Value begun(Value reduced) {
    return order != null ? order.key(reduced) : reduced;
  }

  /** What is carried behind an iteration. */
  Value next(Value carried, Value element) {
    return order != null
        ? order.winner(carried, order.key(element))
        : single.write(emitter, carried, element);
  }

  /** What is carried of what two have reduced. */
  Value together(Value lhs, Value rhs) {
    return single.writePlain(emitter, lhs, rhs);
  }

  /** What was reduced, given what is carried. */
  Value combined(Value carried) {
    return order != null ? order.value(carried) : carried;
  }
}
