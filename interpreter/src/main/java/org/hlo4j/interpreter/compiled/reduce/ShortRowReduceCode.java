package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.expr.Expressions;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;

/**
 * The code generator of a loop that reduces one short row. It computes the inputs of the reductions
 * and the values that follow from their results, without storing anything in between. Unless rows
 * are very short, a reduction in which the order does not matter interleaves its elements over
 * {@value #INTERLEAVED} accumulators, so that additions do not wait for each other. The first
 * accumulator starts from the initial value.
 */
final class ShortRowReduceCode {
  private static final int INTERLEAVED = 4;
  private static final int FEW_ELEMENTS = 8;

  /**
   * The state of a reduction during code generation: a variable for each output of each
   * accumulator.
   */
  private record ReductionState(Reduction reduction, List<List<Value>> accumulators) {
    boolean isInterleaved() {
      return accumulators.size() > 1;
    }
  }

  private final CodeEmitter emitter;
  private final ReduceLoopWriter writer;
  private final BlockPlan plan;
  private final BlockPassCode shared;
  private final Expressions<ReduceNode> rowValues;
  private final Map<List<Object>, Value> ofReduction = new HashMap<>();

  /** Creates a code generator for the only pass of a plan. */
  ShortRowReduceCode(CodeEmitter emitter, BlockPlan plan) {
    this.emitter = emitter;
    this.writer = new ReduceLoopWriter(emitter);
    this.plan = plan;
    this.shared = new BlockPassCode(writer, plan, 0, plan.types()::get);
    this.rowValues = new Expressions<>(emitter, ReduceNode::term, this::ofRow);
  }

  void write() {
    emitter.body(() -> {
      List<ReductionState> running = plan.reductions.stream().map(this::begin).toList();
      shared.writeInvariants(rowValues::value);
      writer.start();
      writer.steps(INTERLEAVED, () -> writeIterations(running, INTERLEAVED));
      writer.steps(1, () -> writeIterations(running, 1));
      carried(running);
      running.forEach(this::finish);
      for (int i = 0; i < plan.roots.size(); i++) {
        ReduceNode root = plan.roots.get(i);
        int number = plan.output(i);
        Value value = rowValues.value(root);
        emitter.store(root.type(), shared.array(number), shared.position(number), value);
      }
      emitter.code().return_();
    });
  }

  private ReductionState begin(Reduction reduction) {
    List<List<Value>> accumulators = new ArrayList<>();
    List<Value> initials = new ArrayList<>();
    for (ReduceNode initial : reduction.initials()) {
      Value start = rowValues.value(initial);
      initials.add(emitter.variable(reduction.body().code().toAccumulatorType(emitter, start)));
    }
    accumulators.add(initials);
    if (reduction.body().isUnordered() && plan.depth > FEW_ELEMENTS) {
      SingleOpReducer single = SingleOpReducer.of(reduction.body());
      for (int k = 1; k < INTERLEAVED; k++) {
        Value neutral = emitter.constant(Lane.of(single.wide()), single.neutralNumber());
        accumulators.add(List.of(emitter.variable(neutral)));
      }
    }
    return new ReductionState(reduction, accumulators);
  }

  private void writeIterations(List<ReductionState> running, int iterations) {
    carried(running);
    for (int k = 0; k < iterations; k++) {
      int mark = emitter.mark();
      int iteration = k;
      Expressions<ReduceNode> values =
          new Expressions<>(
              emitter,
              ReduceNode::term,
              node ->
                  shared.element(
                      node,
                      _ -> {
                        throw new AssertionError("a saved value in the only pass");
                      },
                      rowValues::value,
                      leaf -> read(node, leaf, iteration)));
      for (ReductionState each : running) {
        List<Value> elements = new ArrayList<>();
        for (ReduceNode input : each.reduction().inputs()) {
          elements.add(values.value(input));
        }
        step(each, k, elements);
      }
      emitter.release(mark);
    }
  }

  private void carried(List<ReductionState> running) {
    running.forEach(each -> each.accumulators().forEach(emitter::markLoopCarried));
  }

  private void step(ReductionState running, int iteration, List<Value> elements) {
    if (running.isInterleaved()) {
      Value accumulator = running.accumulators().get(iteration).get(0);
      SingleOpReducer single = SingleOpReducer.of(running.reduction().body());
      emitter.assign(accumulator, single.write(emitter, accumulator, elements.get(0)));
      return;
    }
    running.reduction().body().code().reduce(emitter, running.accumulators().get(0), elements);
  }

  private void finish(ReductionState running) {
    Reduction reduction = running.reduction();
    List<Value> results = running.accumulators().get(0);
    if (running.isInterleaved()) {
      SingleOpReducer single = SingleOpReducer.of(reduction.body());
      List<Value> parts = running.accumulators().stream().map(List::getFirst).toList();
      List<Value> halves = List.of(parts.get(0), parts.get(2), parts.get(1), parts.get(3));
      results = List.of(wrapped(single, single.pairs(emitter, halves)));
    }
    if (reduction.body().isSum()) {
      results = List.of(reduction.body().code().fromAccumulatorType(emitter, 0, results.get(0)));
    }
    for (int i = 0; i < results.size(); i++) {
      ofReduction.put(List.of(reduction, i), results.get(i));
    }
  }

  /** {@return a result in its own type: narrow integers are reduced as wide ones} */
  private Value wrapped(SingleOpReducer single, Value value) {
    return single.type().isIntegral()
        ? ElementFunctions.convert(emitter, single.wide(), single.type(), value)
        : value;
  }

  private Value read(ReduceNode node, BlockPlan.Leaf leaf, int iteration) {
    int position = shared.position(leaf.number());
    int index =
        leaf.elementStride() == 1
            ? writer.index(position, iteration)
            : writer.strided(position, iteration, leaf.elementStride());
    return emitter.load(node.type(), shared.array(leaf.number()), index);
  }

  private Value ofRow(ReduceNode node) {
    if (node instanceof ReduceNode.Reduced reduced) {
      return requireNonNull(ofReduction.get(List.of(reduced.reduction, reduced.output)));
    }
    int number = requireNonNull(plan.leaves.get(node)).number();
    return emitter.load(node.type(), shared.array(number), shared.position(number));
  }
}
