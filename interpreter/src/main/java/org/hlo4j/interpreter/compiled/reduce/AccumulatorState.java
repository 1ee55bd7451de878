package org.hlo4j.interpreter.compiled.reduce;

import java.util.Optional;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.lanes.FloatOrder;
import org.hlo4j.interpreter.compiled.lanes.Lane;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;
import org.jspecify.annotations.Nullable;

/** What a loop carries of a fold by one op: accumulators, or what tells their order. */
final class AccumulatorState {
  private final Lanes lanes;
  private final SingleOpReducer single;
  private final @Nullable FloatOrder order;

  AccumulatorState(Lanes lanes, SingleOpReducer single) {
    this.lanes = lanes;
    this.single = single;
    this.order = order(lanes, single).orElse(null);
  }

  /** The order by which a fold of one value goes, if it is by the greater or lesser of floats. */
  static Optional<FloatOrder> order(Lanes lanes, Reducer body) {
    return body.count() == 1 && body.single().isPresent()
        ? order(lanes, SingleOpReducer.of(body))
        : Optional.empty();
  }

  private static Optional<FloatOrder> order(Lanes lanes, SingleOpReducer single) {
    boolean isMaximum = single.kind() == Elementwise.Kind.MAXIMUM;
    return single.type().isFloating() && (isMaximum || single.kind() == Elementwise.Kind.MINIMUM)
        ? Optional.of(new FloatOrder(lanes, Lane.of(single.type()), isMaximum))
        : Optional.empty();
  }

  /** What is carried before the first turn. */
  Value neutral() {
    return begun(lanes.constant(Lane.of(single.wide()), single.neutralNumber()));
  }

  /** What is carried of what was folded before. */
  Value begun(Value reduced) {
    return order != null ? order.key(reduced) : reduced;
  }

  /** What is carried behind a turn. */
  Value next(Value carried, Value element) {
    return order != null
        ? order.winner(carried, order.key(element))
        : single.write(lanes, carried, element);
  }

  /** What is carried of what two have folded. */
  Value together(Value lhs, Value rhs) {
    return single.writePlain(lanes, lhs, rhs);
  }

  /** What was folded, given what is carried. */
  Value folded(Value carried) {
    return order != null ? order.value(carried) : carried;
  }
}
