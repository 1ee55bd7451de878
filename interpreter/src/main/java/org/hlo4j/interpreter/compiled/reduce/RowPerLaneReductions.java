package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.FloatOrder;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.Expressions;

/**
 * The values and the reductions of a vector of rows, in the code of a pass with one row per lane.
 */
final class RowPerLaneReductions {
  private final CodeEmitter emitter;
  private final Function<ReduceNode, Value> reading;
  private final Expressions<ReduceNode> values;
  private final Map<Reduction, List<Value>> accumulators = new HashMap<>();
  private final Map<Reduction, FloatOrder> orders = new HashMap<>();
  private final Map<Reduction, List<Value>> results = new HashMap<>();

  /**
   * Creates the values and reductions of a vector of rows.
   *
   * @param reading loads a value of each row that is an input, or is known from an earlier pass
   */
  RowPerLaneReductions(CodeEmitter emitter, Function<ReduceNode, Value> reading) {
    this.emitter = emitter;
    this.reading = reading;
    this.values = new Expressions<>(emitter, ReduceNode::term, this::given);
  }

  private Value given(ReduceNode node) {
    return switch (node) {
      case ReduceNode.Read read -> reading.apply(read);
      case ReduceNode.Reduced reduced ->
          results.containsKey(reduced.reduction)
              ? requireNonNull(results.get(reduced.reduction)).get(reduced.output)
              : reading.apply(reduced);
      case ReduceNode.BroadcastBack _, ReduceNode.Immediate _, ReduceNode.Apply _ ->
          throw new AssertionError("nothing given for a row");
    };
  }

  /** {@return a value of each row} */
  Value value(ReduceNode node) {
    return values.value(node);
  }

  /** Writes the initialization of the accumulators of a reduction. */
  void begin(Reduction reduction) {
    Optional<FloatOrder> order = AccumulatorState.order(emitter, reduction.body());
    order.ifPresent(known -> orders.put(reduction, known));
    List<Value> starts = new ArrayList<>();
    for (ReduceNode initial : reduction.initials()) {
      Value start = reduction.body().code().toAccumulatorType(emitter, value(initial));
      starts.add(emitter.variable(order.isPresent() ? order.get().key(start) : start));
    }
    accumulators.put(reduction, starts);
  }

  /**
   * Marks the accumulators as carried values; to be called at the start of the loop body and after
   * the loop.
   */
  void markCarried() {
    accumulators.values().forEach(emitter::markLoopCarried);
  }

  /** Writes the reduction of one element of each row. */
  void step(Reduction reduction, List<Value> elements) {
    List<Value> carried = requireNonNull(accumulators.get(reduction));
    FloatOrder order = orders.get(reduction);
    if (order == null) {
      reduction.body().code().reduce(emitter, carried, elements);
    } else {
      Value winner = order.winner(carried.get(0), order.key(elements.get(0)));
      emitter.assign(carried.get(0), winner);
    }
  }

  /** {@return the results of a reduction; a sum of floats is rounded to their type once} */
  List<Value> finish(Reduction reduction) {
    List<Value> ends = requireNonNull(accumulators.get(reduction));
    FloatOrder order = orders.get(reduction);
    List<Value> rounded = new ArrayList<>();
    for (int i = 0; i < ends.size(); i++) {
      Value end = order == null ? ends.get(i) : order.value(ends.get(i));
      rounded.add(reduction.body().code().fromAccumulatorType(emitter, i, end));
    }
    results.put(reduction, rounded);
    return rounded;
  }
}
