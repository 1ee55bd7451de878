package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
   * An array that is read.
   *
   * @param number the index of its array and of its position
   * @param isOfRow whether there is one element for each row, not one for each element of a row
   * @param stride the stride of the elements of a row
   */
  record Leaf(int number, boolean isOfRow, int stride) {}

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
  private final Map<ReduceNode, Leaf> leaves;
  private final List<ReduceNode> roots;
  private final List<Reduction> reductions;
  private final int depth;
  private final Map<ReduceNode, Integer> arrays = new HashMap<>();
  private final Map<ReduceNode, Integer> positions = new HashMap<>();
  private final Expressions<ReduceNode> rowValues;
  private final Map<List<Object>, Value> ofReduction = new HashMap<>();

  /**
   * Creates a code generator.
   *
   * @param leaves the arrays that are read
   * @param roots the results, which are stored in the arrays after those that are read
   * @param reductions the reductions
   * @param depth the length of a row
   */
  ShortRowReduceCode(
      CodeEmitter emitter,
      Map<ReduceNode, Leaf> leaves,
      List<ReduceNode> roots,
      List<Reduction> reductions,
      int depth) {
    this.emitter = emitter;
    this.writer = new ReduceLoopWriter(emitter);
    this.leaves = leaves;
    this.roots = roots;
    this.reductions = reductions;
    this.depth = depth;
    this.rowValues = new Expressions<>(emitter, ReduceNode::term, this::ofRow);
  }

  void write() {
    emitter.body(() -> {
      leaves.forEach((node, leaf) -> {
        arrays.put(node, writer.array(leaf.number(), node.type()));
        positions.put(node, writer.position(leaf.number()));
      });
      List<ReductionState> running = reductions.stream().map(this::begin).toList();
      Set<ReduceNode> seen = new HashSet<>();
      reductions.forEach(
          reduction -> reduction.inputs().forEach(input -> writeInvariants(input, seen)));
      writer.start();
      writer.steps(INTERLEAVED, () -> writeIterations(running, INTERLEAVED));
      writer.steps(1, () -> writeIterations(running, 1));
      carried(running);
      running.forEach(this::finish);
      for (int i = 0; i < roots.size(); i++) {
        ReduceNode root = roots.get(i);
        int array = writer.array(leaves.size() + i, root.type());
        int position = writer.position(leaves.size() + i);
        emitter.store(root.type(), array, position, rowValues.value(root));
      }
      emitter.code().return_();
    });
  }

  // Reductions.

  private ReductionState begin(Reduction reduction) {
    List<List<Value>> accumulators = new ArrayList<>();
    List<Value> initials = new ArrayList<>();
    for (ReduceNode initial : reduction.initials()) {
      Value start = rowValues.value(initial);
      initials.add(emitter.variable(reduction.body().code().toAccumulatorType(emitter, start)));
    }
    accumulators.add(initials);
    if (reduction.body().isUnordered() && depth > FEW_ELEMENTS) {
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
          new Expressions<>(emitter, ReduceNode::term, node -> ofElement(node, iteration));
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

  // Values of each element.

  /** Hoists the values that are the same for all elements. */
  private void writeInvariants(ReduceNode node, Set<ReduceNode> seen) {
    if (!seen.add(node)) {
      return;
    }
    switch (node) {
      case ReduceNode.BroadcastBack broadcast -> rowValues.value(broadcast.kept);
      case ReduceNode.Immediate immediate -> rowValues.value(immediate);
      case ReduceNode.Read read -> {
        if (requireNonNull(leaves.get(read)).stride() == 0) {
          rowValues.value(read);
        }
      }
      case ReduceNode.Apply apply ->
          apply.operands().forEach(operand -> writeInvariants(operand, seen));
      case ReduceNode.Reduced reduced -> throw new AssertionError("a result of an element");
    }
  }

  private Value ofElement(ReduceNode node, int iteration) {
    return switch (node) {
      case ReduceNode.BroadcastBack broadcast -> rowValues.value(broadcast.kept);
      case ReduceNode.Read read -> read(read, iteration);
      case ReduceNode.Reduced _, ReduceNode.Immediate _, ReduceNode.Apply _ ->
          throw new AssertionError("nothing given for an element");
    };
  }

  private Value read(ReduceNode.Read read, int iteration) {
    int stride = requireNonNull(leaves.get(read)).stride();
    if (stride == 0) {
      return rowValues.value(read);
    }
    int position = requireNonNull(positions.get(read));
    int index =
        stride == 1
            ? writer.index(position, iteration)
            : writer.strided(position, iteration, stride);
    return emitter.load(read.type(), requireNonNull(arrays.get(read)), index);
  }

  // Values of each row.

  private Value ofRow(ReduceNode node) {
    return switch (node) {
      case ReduceNode.Read read ->
          emitter.load(
              read.type(), requireNonNull(arrays.get(read)), requireNonNull(positions.get(read)));
      case ReduceNode.Reduced reduced ->
          requireNonNull(ofReduction.get(List.of(reduced.reduction, reduced.output)));
      case ReduceNode.BroadcastBack _, ReduceNode.Immediate _, ReduceNode.Apply _ ->
          throw new AssertionError("nothing given for a row");
    };
  }

  // Leaves and reductions.

  /**
   * The leaves and reductions that some results need, collected by a traversal. It records an
   * obstacle if the results take several passes.
   */
  static final class Survey {
    final Map<ReduceNode, Leaf> leaves = new LinkedHashMap<>();
    final List<Reduction> reductions = new ArrayList<>();
    int weight;
    final Obstacle obstacle = new Obstacle();
    private final int depth;
    private final Set<ReduceNode> elements = new HashSet<>();
    private final Set<ReduceNode> rows = new HashSet<>();
    private final Set<ReduceNode> initials = new HashSet<>();

    Survey(List<ReduceNode> roots, int depth) {
      this.depth = depth;
      roots.forEach(root -> ofRow(root, true));
    }

    private void ofRow(ReduceNode node, boolean allowsReduction) {
      Set<ReduceNode> seen = allowsReduction ? rows : initials;
      if (!seen.add(node)) {
        return;
      }
      switch (node) {
        case ReduceNode.Immediate immediate -> {}
        case ReduceNode.Read read ->
            leaves.computeIfAbsent(read, key -> new Leaf(leaves.size(), true, 0));
        case ReduceNode.Apply apply ->
            apply.operands().forEach(operand -> ofRow(operand, allowsReduction));
        case ReduceNode.Reduced reduced -> {
          if (!allowsReduction) {
            obstacle.add("reduces what is reduced");
          } else if (!reductions.contains(reduced.reduction)) {
            reductions.add(reduced.reduction);
            reduced.reduction.initials().forEach(initial -> ofRow(initial, false));
            reduced.reduction.inputs().forEach(this::ofElement);
          }
        }
        case ReduceNode.BroadcastBack broadcast -> obstacle.add("an element of a row");
      }
    }

    private void ofElement(ReduceNode node) {
      if (!elements.add(node)) {
        return;
      }
      switch (node) {
        case ReduceNode.Immediate immediate -> {}
        case ReduceNode.BroadcastBack broadcast -> ofRow(broadcast.kept, false);
        case ReduceNode.Read read -> {
          Optional<Integer> stride = read.view.strideWithin(depth);
          if (stride.isEmpty()) {
            obstacle.add("a view of several strides");
          }
          leaves.put(read, new Leaf(leaves.size(), false, stride.orElse(0)));
        }
        case ReduceNode.Apply apply -> {
          weight += apply.term().traits().operations();
          apply.operands().forEach(this::ofElement);
        }
        case ReduceNode.Reduced reduced -> obstacle.add("a result of an element");
      }
    }
  }
}
