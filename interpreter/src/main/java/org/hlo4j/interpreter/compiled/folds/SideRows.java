package org.hlo4j.interpreter.compiled.folds;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.interpreter.compiled.bodies.BodyCode;
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
    List<Value> variables = requireNonNull(accumulators.get(fold));
    BodyCode body = fold.body().code();
    Optional<Single> single = single(fold.body());
    if (single.isPresent()) {
      Value element = body.widened(lanes, elements.get(0));
      lanes.assign(variables.get(0), single.get().writePlain(lanes, element, variables.get(0)));
    } else {
      body.fold(lanes, variables, elements);
    }
  }

  /**
   * The op, if the element may come first: C2 then knows of what class it is that is called, which
   * it does not of accumulators.
   */
  private static Optional<Single> single(Body body) {
    boolean wraps = !body.type().isFloating() && body.type().bits() < Integer.SIZE;
    return body.isUnordered() && !wraps ? Optional.of(Single.of(body)) : Optional.empty();
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
