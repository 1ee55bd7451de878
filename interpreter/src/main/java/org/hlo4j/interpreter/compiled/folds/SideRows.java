package org.hlo4j.interpreter.compiled.folds;

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
final class SideRows {
  private final Lanes lanes;
  private final Function<Node, Value> reading;
  private final Expressions<Node> values;
  private final Map<Fold, List<Value>> accumulators = new HashMap<>();
  private final Map<Fold, FloatOrder> orders = new HashMap<>();
  private final Map<Fold, List<Value>> results = new HashMap<>();

  /**
   * Rows of a vector.
   *
   * @param reading loads what is given for each row, or known from an earlier pass
   */
  SideRows(Lanes lanes, Function<Node, Value> reading) {
    this.lanes = lanes;
    this.reading = reading;
    this.values = new Expressions<>(lanes, Node::term, this::given);
  }

  private Value given(Node node) {
    return switch (node) {
      case Node.Read read -> reading.apply(read);
      case Node.Folded folded ->
          results.containsKey(folded.fold)
              ? requireNonNull(results.get(folded.fold)).get(folded.output)
              : reading.apply(folded);
      case Node.Spread _, Node.Immediate _, Node.Apply _ ->
          throw new AssertionError("nothing given for a row");
    };
  }

  /** A value of each row. */
  Value value(Node node) {
    return values.value(node);
  }

  /** Begins a fold. */
  void begin(Fold fold) {
    Optional<FloatOrder> order = Carried.order(lanes, fold.body());
    order.ifPresent(known -> orders.put(fold, known));
    List<Value> starts = new ArrayList<>();
    for (Node initial : fold.initials()) {
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
  void step(Fold fold, List<Value> elements) {
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
  List<Value> finish(Fold fold) {
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
