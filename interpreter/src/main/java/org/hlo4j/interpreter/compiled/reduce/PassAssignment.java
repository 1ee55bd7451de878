package org.hlo4j.interpreter.compiled.reduce;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.expr.CheapOps;

/**
 * The assignment of values to passes: a value is computed in the first pass after all reductions on
 * which it depends.
 */
final class PassAssignment {
  private final Predicate<Reduction> needsSeparatePass;
  private final Memo<ReduceNode, Integer> passes = new Memo<>(this::computePass);
  private final Memo<ReduceNode, Integer> passesBefore = new Memo<>(this::computePassCountBefore);
  private final Memo<ReduceNode, Boolean> expensive = new Memo<>(this::computeIsExpensive);

  PassAssignment() {
    this(reduction -> false);
  }

  /**
   * Creates an assignment in which some reductions run in a later pass than their input.
   *
   * @param needsSeparatePass whether a reduction belongs to the pass after the one that computes
   *     its input
   */
  PassAssignment(Predicate<Reduction> needsSeparatePass) {
    this.needsSeparatePass = needsSeparatePass;
  }

  /**
   * Collects a node and all nodes on which it depends, in topological order: operands come first.
   */
  void collect(ReduceNode node, Set<ReduceNode> seen) {
    if (seen.contains(node)) {
      return;
    }
    node.operands().forEach(operand -> collect(operand, seen));
    seen.add(node);
  }

  /** {@return the first pass that can compute a value for each position} */
  int pass(ReduceNode node) {
    return passes.get(node);
  }

  private int computePass(ReduceNode node) {
    return switch (node) {
      case ReduceNode.BroadcastBack broadcast -> passCountBefore(broadcast.kept);
      case ReduceNode.Reduced reduced -> pass(reduced.reduction);
      case ReduceNode.Apply _, ReduceNode.Read _, ReduceNode.Immediate _ ->
          node.operands().stream().mapToInt(this::pass).max().orElse(0);
    };
  }

  /** {@return the pass that runs a reduction} */
  int pass(Reduction reduction) {
    int computed = reduction.inputs().stream().mapToInt(this::pass).max().orElse(0);
    return needsSeparatePass.test(reduction) ? computed + 1 : computed;
  }

  /** {@return the number of passes after which a value with an element for each result is known} */
  int passCountBefore(ReduceNode node) {
    return passesBefore.get(node);
  }

  private int computePassCountBefore(ReduceNode node) {
    return switch (node) {
      case ReduceNode.Reduced reduced -> pass(reduced.reduction) + 1;
      case ReduceNode.BroadcastBack broadcast ->
          throw new AssertionError("a broadcast result where none is");
      case ReduceNode.Apply _, ReduceNode.Read _, ReduceNode.Immediate _ ->
          node.operands().stream().mapToInt(this::passCountBefore).max().orElse(0);
    };
  }

  /**
   * {@return the expensive values that the nodes need in a pass and that an earlier pass can
   * compute}
   */
  Set<ReduceNode> expensive(Collection<ReduceNode> nodes, int pass) {
    Set<ReduceNode> found = new LinkedHashSet<>();
    Set<ReduceNode> seen = new HashSet<>();
    nodes.forEach(node -> expensive(node, pass, seen, found));
    return found;
  }

  private void expensive(ReduceNode node, int pass, Set<ReduceNode> seen, Set<ReduceNode> found) {
    if (!seen.add(node)) {
      return;
    }
    if (pass(node) < pass && isExpensive(node)) {
      found.add(node);
    } else if (node instanceof ReduceNode.Apply apply) {
      apply.operands().forEach(operand -> expensive(operand, pass, seen, found));
    }
  }

  /** {@return whether a value needs an expensive op that no pass before this one can compute} */
  boolean isExpensive(ReduceNode node, int pass) {
    return isExpensive(node, pass, new HashSet<>());
  }

  private boolean isExpensive(ReduceNode node, int pass, Set<ReduceNode> seen) {
    return node instanceof ReduceNode.Apply apply
        && seen.add(node)
        && pass(node) == pass
        && (isCostly(apply)
            || apply.operands().stream().anyMatch(operand -> isExpensive(operand, pass, seen)));
  }

  /** {@return whether a value needs an expensive op in any pass} */
  boolean isExpensive(ReduceNode node) {
    return expensive.get(node);
  }

  private boolean computeIsExpensive(ReduceNode node) {
    return node instanceof ReduceNode.Apply apply
        && (isCostly(apply) || apply.operands().stream().anyMatch(this::isExpensive));
  }

  private static boolean isCostly(ReduceNode.Apply apply) {
    return apply.op instanceof Elementwise op && !CheapOps.contains(op.kind());
  }
}
