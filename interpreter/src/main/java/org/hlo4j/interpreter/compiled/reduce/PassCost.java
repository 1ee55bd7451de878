package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.math.ElementFunctions;

/**
 * The cost and the structure of one pass of a {@link BlockPlan}. The cost selects a kernel and the
 * degree of unrolling; the structure is part of the key under which the generated loop is cached.
 */
final class PassCost {
  private final BlockPlan plan;
  private final int pass;
  private final Set<ReduceNode> elements = new LinkedHashSet<>();
  private final Set<ReduceNode> rows = new LinkedHashSet<>();
  private final Map<ReduceNode, Integer> valueNumbers = new LinkedHashMap<>();
  private final StringBuilder text = new StringBuilder();
  private int operationsPerElement;
  private int operationsPerRow;
  private int widest = 32;

  PassCost(BlockPlan plan, int pass) {
    this.plan = plan;
    this.pass = pass;
    plan.elements(pass).forEach(node -> collect(node, true));
    for (Reduction reduction : plan.reductions(pass)) {
      reduction.initials().forEach(node -> collect(node, false));
      widest = reduction.body().isSum() ? Long.SIZE : widest;
    }
    plan.rowResults(pass).forEach(node -> collect(node, false));
  }

  /** {@return the approximate number of operations for each element} */
  int operationsPerElement() {
    return operationsPerElement;
  }

  /**
   * {@return the approximate number of operations for each row, in addition to those of its
   * elements}
   */
  int operationsPerRow() {
    return operationsPerRow;
  }

  /** {@return the number of bits of the widest lane} */
  int widest() {
    return widest;
  }

  private void collect(ReduceNode node, boolean isOfElement) {
    Set<ReduceNode> seen = isOfElement ? elements : rows;
    if (!seen.add(node)) {
      return;
    }
    widest = Math.max(widest, Lane.of(node.type()).bits());
    switch (node) {
      case ReduceNode.BroadcastBack broadcast -> collect(broadcast.kept, false);
      case ReduceNode.Apply apply -> {
        if (!isOfElement || !plan.isSaved(node, pass)) {
          ElementFunctions.Traits traits = apply.term().traits();
          widest = Math.max(widest, traits.widestBits());
          if (isOfElement) {
            operationsPerElement += traits.operations();
          } else {
            operationsPerRow += traits.operations();
          }
          apply.operands().forEach(operand -> collect(operand, isOfElement));
        }
      }
      case ReduceNode.Read _, ReduceNode.Immediate _, ReduceNode.Reduced _ -> {}
    }
  }

  /** {@return a key that is equal for passes with the same code} */
  List<Object> structure() {
    valueNumbers.clear();
    text.setLength(0);
    List<Object> bodies = new ArrayList<>();
    text.append(plan.types()).append('\n');
    for (Reduction reduction : plan.reductions(pass)) {
      reduction.initials().forEach(this::valueNumber);
      reduction.inputs().forEach(this::valueNumber);
      text.append("reduce").append(plan.resultArrays.get(reduction));
      reduction.initials().forEach(node -> text.append(' ').append(valueNumbers.get(node)));
      reduction.inputs().forEach(node -> text.append(' ').append(valueNumbers.get(node)));
      bodies.add(reduction.body().code().structure());
      // Depends on the inputs, of which a pass that loads saved ones shows nothing else.
      bodies.add(reduction.body().isSum() ? SingleOpReducer.of(reduction).elementsPerUpdate() : 1);
      text.append('\n');
    }
    for (ReduceNode node : plan.stored(pass)) {
      text.append("store")
          .append(valueNumber(node))
          .append(' ')
          .append(plan.saved.get(node))
          .append('\n');
    }
    for (int i = 0; i < plan.roots.size(); i++) {
      ReduceNode root = plan.roots.get(i);
      if (plan.stored(pass).contains(root) || plan.rowResults(pass).contains(root)) {
        text.append("root").append(valueNumber(root)).append(' ').append(plan.output(i));
      }
    }
    return List.of(text.toString(), bodies);
  }

  private int valueNumber(ReduceNode node) {
    Integer known = valueNumbers.get(node);
    if (known != null) {
      return known;
    }
    StringBuilder line = new StringBuilder().append(node.type()).append(' ');
    if (plan.isSaved(node, pass)) {
      line.append("saved").append(plan.saved.get(node));
    } else {
      switch (node) {
        case ReduceNode.BroadcastBack broadcast ->
            line.append("broadcast").append(valueNumber(broadcast.kept));
        case ReduceNode.Immediate immediate -> line.append(immediate.scalar.bitsAt(0));
        case ReduceNode.Read read -> {
          BlockPlan.Leaf leaf = requireNonNull(plan.leaves.get(read));
          line.append(leaf.number()).append(leaf.isOfRow() ? "row" : "read");
          line.append(leaf.rowStride() == 0 ? 0 : 1).append(leaf.isTiled()).append(' ');
          line.append(leaf.isTiled() ? 0 : leaf.elementStride());
        }
        case ReduceNode.Apply apply -> {
          line.append(apply.op).append(apply.term().isAtMostZero());
          apply.operands().forEach(operand -> line.append(' ').append(valueNumber(operand)));
        }
        case ReduceNode.Reduced reduced ->
            line.append("reduced")
                .append(plan.resultArrays.get(reduced.reduction))
                .append(' ')
                .append(reduced.output);
      }
    }
    valueNumbers.put(node, valueNumbers.size());
    text.append(valueNumbers.get(node)).append('=').append(line).append('\n');
    return requireNonNull(valueNumbers.get(node));
  }
}
