package org.hlo4j.interpreter.compiled.folds;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.hlo4j.interpreter.compiled.bodies.Expressions;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/** Writes what belongs to a vector of rows: its values, its folds as they go on. */
final class SideRows {
  private final Lanes lanes;
  private final Function<Node, Value> reading;
  private final Expressions<Node> values;
  private final Map<Fold, List<Value>> accumulators = new HashMap<>();
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
    List<Value> starts = new ArrayList<>();
    for (Node initial : fold.initials()) {
      starts.add(lanes.variable(fold.body().code().widened(lanes, value(initial))));
    }
    accumulators.put(fold, starts);
  }

  /** To be called at the start of the loop's body and behind it. */
  void carried() {
    accumulators.values().forEach(lanes::carried);
  }

  /** Folds an element. */
  void step(Fold fold, List<Value> elements) {
    fold.body().code().fold(lanes, requireNonNull(accumulators.get(fold)), elements);
  }

  /** The results of a fold: a sum of floats is rounded to their type once. */
  List<Value> finish(Fold fold) {
    List<Value> ends = requireNonNull(accumulators.get(fold));
    List<Value> rounded = new ArrayList<>();
    for (int i = 0; i < ends.size(); i++) {
      rounded.add(fold.body().code().rounded(lanes, i, ends.get(i)));
    }
    results.put(fold, rounded);
    return rounded;
  }
}
