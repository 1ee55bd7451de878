package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.Expressions;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;

/** The values and the reductions of a row, or of a row in each lane, in the code of a pass. */
final class RowReductions {
  private final CodeEmitter emitter;
  private final Expressions<LoopNode> values;
  private final Map<Reduction, List<List<Value>>> accumulators = new HashMap<>();
  private final Map<Reduction, AccumulatorState> states = new HashMap<>();

  /**
   * Creates the values and reductions.
   *
   * @param reading loads a value of each row that is an input, or is known from an earlier pass
   */
  RowReductions(CodeEmitter emitter, Function<LoopNode, Value> reading) {
    this.emitter = emitter;
    this.values = new Expressions<>(emitter, LoopNode::term, reading);
  }

  /** {@return a value of each row} */
  Value value(LoopNode node) {
    return values.value(node);
  }

  /**
   * Writes the initialization of the accumulators of a reduction. The first one starts from the
   * initial value, the others from the neutral element.
   *
   * @param count the number of accumulators over which elements are interleaved: 1, or several for
   *     a reduction whose order does not matter
   */
  void begin(Reduction reduction, int count) {
    Optional<AccumulatorState> state = AccumulatorState.of(emitter, reduction.body(), count);
    state.ifPresent(known -> states.put(reduction, known));
    List<Value> starts = new ArrayList<>();
    for (LoopNode initial : reduction.initials()) {
      Value start = reduction.body().code().toAccumulatorType(emitter, value(initial));
      starts.add(emitter.variable(state.map(known -> known.toCarried(start)).orElse(start)));
    }
    List<List<Value>> all = new ArrayList<>(List.of(starts));
    for (int k = 1; k < count; k++) {
      all.add(List.of(emitter.variable(state.orElseThrow().neutral())));
    }
    accumulators.put(reduction, all);
  }

  /**
   * Marks the accumulators as carried values; to be called at the start of the loop body and after
   * the loop.
   */
  void markCarried() {
    accumulators.values().forEach(all -> all.forEach(emitter::markLoopCarried));
  }

  /** Writes the reduction of one element of each row, of an iteration with a number. */
  void step(Reduction reduction, int iteration, List<Value> elements) {
    List<List<Value>> all = requireNonNull(accumulators.get(reduction));
    List<Value> carried = all.get(iteration % all.size());
    AccumulatorState state = states.get(reduction);
    if (state == null) {
      reduction.body().code().reduce(emitter, carried, elements);
    } else {
      emitter.assign(carried.get(0), state.reduce(carried.get(0), elements.get(0)));
    }
  }

  /** {@return the results of a reduction; a sum of floats is rounded to their type once} */
  List<Value> finish(Reduction reduction) {
    List<Value> ends = ends(reduction);
    AccumulatorState state = states.get(reduction);
    List<Value> rounded = new ArrayList<>();
    for (int i = 0; i < ends.size(); i++) {
      Value end = state == null ? ends.get(i) : state.fromCarried(ends.get(i));
      rounded.add(reduction.body().code().fromAccumulatorType(emitter, i, end));
    }
    return rounded;
  }

  /** Sets the results of a reduction. */
  void put(Reduction reduction, List<Value> ends) {
    for (int i = 0; i < ends.size(); i++) {
      values.put(new LoopNode.Reduced(reduction, i), ends.get(i));
    }
  }

  /** {@return the carried values, in which several accumulators are combined} */
  private List<Value> ends(Reduction reduction) {
    List<List<Value>> all = requireNonNull(accumulators.get(reduction));
    if (all.size() == 1) {
      return all.get(0);
    }
    SingleOpReducer single = SingleOpReducer.of(reduction.body());
    Value end = single.pairs(emitter, all.stream().map(List::getFirst).toList());
    return List.of(
        single.type().isIntegral() // narrow integers are reduced as wide ones
            ? ElementFunctions.convert(emitter, single.wide(), single.type(), end)
            : end);
  }
}
