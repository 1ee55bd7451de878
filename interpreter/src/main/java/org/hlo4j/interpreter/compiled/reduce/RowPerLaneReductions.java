package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.interpreter.compiled.bodies.Expressions;
import org.hlo4j.interpreter.compiled.lanes.FloatOrder;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/** Writes what belongs to a vector of rows: its values, its folds as they go on. */
final class RowPerLaneReductions {
  private final Lanes lanes;
  private final Function<ReduceNode, Value> reading;
  private final Expressions<ReduceNode> values;
  private final Map<Reduction, List<Value>> accumulators = new HashMap<>();
  private final Map<Reduction, FloatOrder> orders = new HashMap<>();
  private final Map<Reduction, List<Value>> results = new HashMap<>();

  /**
   * Rows of a vector.
   *
   * @param reading loads what is given for each row, or known from an earlier pass
   */
  RowPerLaneReductions(Lanes lanes, Function<ReduceNode, Value> reading) {
    this.lanes = lanes;
    this.reading = reading;
    this.values = new Expressions<>(lanes, ReduceNode::term, this::given);
  }

  private Value given(ReduceNode node) {
    return switch (node) {
      case ReduceNode.Read read -> reading.apply(read);
      case ReduceNode.Reduced folded ->
          results.containsKey(folded.fold)
              ? requireNonNull(results.get(folded.fold)).get(folded.output)
              : reading.apply(folded);
      case ReduceNode.BroadcastBack _, ReduceNode.Immediate _, ReduceNode.Apply _ ->
          throw new AssertionError("nothing given for a row");
    };
  }

  /** A value of each row. */
  Value value(ReduceNode node) {
    return values.value(node);
  }

  /** Begins a fold. */
  void begin(Reduction fold) {
    Optional<FloatOrder> order = AccumulatorState.order(lanes, fold.body());
    order.ifPresent(known -> orders.put(fold, known));
    List<Value> starts = new ArrayList<>();
    for (ReduceNode initial : fold.initials()) {
      Value start = fold.body().code().widened(lanes, value(initial));
      starts.add(lanes.variable(order.isPresent() ? order.get().key(start) : start));
    }
    accumulators.put(fold, starts);
  }

  /** To be called at the start of the loop's body and behind it. */
  void carried() {
    accumulators.values().forEach(lanes::carried);
  }

  /** Folds an element. */
  void step(Reduction fold, List<Value> elements) {
    List<Value> carried = requireNonNull(accumulators.get(fold));
    FloatOrder order = orders.get(fold);
    if (order == null) {
      fold.body().code().fold(lanes, carried, elements);
    } else {
      Value winner = order.winner(carried.get(0), order.key(elements.get(0)));
      lanes.assign(carried.get(0), winner);
    }
  }

  /** The results of a fold: a sum of floats is rounded to their type once. */
  List<Value> finish(Reduction fold) {
    List<Value> ends = requireNonNull(accumulators.get(fold));
    FloatOrder order = orders.get(fold);
    List<Value> rounded = new ArrayList<>();
    for (int i = 0; i < ends.size(); i++) {
      Value end = order == null ? ends.get(i) : order.value(ends.get(i));
      rounded.add(fold.body().code().rounded(lanes, i, end));
    }
    results.put(fold, rounded);
    return rounded;
  }
}
