package org.hlo4j.interpreter.compiled.folds;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/** Writes what belongs to a vector of rows: its values, its folds as they go on. */
final class SideRows {
  private final Lanes lanes;
  private final Function<Node, Value> reading;
  private final Map<Node, Value> values = new HashMap<>();
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
  }

  /** A value of each row. */
  Value value(Node node) {
    Value known = values.get(node);
    if (known == null) {
      known =
          switch (node) {
            case Node.Immediate immediate -> lanes.constant(immediate.scalar);
            case Node.Read read -> reading.apply(read);
            case Node.Apply apply ->
                apply.term().write(lanes, apply.operands.stream().map(this::value).toList());
            case Node.Folded folded ->
                results.containsKey(folded.fold)
                    ? requireNonNull(results.get(folded.fold)).get(folded.output)
                    : reading.apply(folded);
            case Node.Spread spread -> throw new AssertionError("an element of a row");
          };
      values.put(node, known);
    }
    return known;
  }

  /** Begins a fold. */
  void begin(Fold fold) {
    List<Value> starts = new ArrayList<>();
    for (Node initial : fold.initials()) {
      starts.add(lanes.variable(fold.body().code().widened(lanes, value(initial))));
    }
    accumulators.put(fold, starts);
  }

  /** Folds an element. */
  void step(Fold fold, List<Value> elements) {
    List<Value> before = requireNonNull(accumulators.get(fold));
    Body body = fold.body();
    Optional<Single> single = single(body);
    if (single.isPresent()) {
      Value element = body.code().widened(lanes, elements.get(0));
      lanes.assign(before.get(0), single.get().writePlain(lanes, element, before.get(0)));
      return;
    }
    List<Value> next = new ArrayList<>(body.code().write(lanes, before, elements));
    next.replaceAll(value -> before.contains(value) ? lanes.variable(value) : value);
    for (int i = 0; i < next.size(); i++) {
      lanes.assign(before.get(i), next.get(i));
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
    List<Value> rounded =
        fold.body().isSum()
            ? List.of(fold.body().code().rounded(lanes, 0, ends.get(0)))
            : ends;
    results.put(fold, rounded);
    return rounded;
  }
}
