package org.hlo4j.interpreter.compiled.folds;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.bodies.CheapOps;

/** In which pass each value can be computed. */
final class Levels {
  private final Predicate<Fold> isApart;
  private final Map<Node, Integer> passes = new HashMap<>();
  private final Map<Node, Integer> passesBefore = new HashMap<>();
  private final Map<Node, Boolean> expensive = new HashMap<>();

  Levels() {
    this(fold -> false);
  }

  /**
   * With folds that are done apart from what they fold.
   *
   * @param isApart whether a fold belongs to the pass after the one that computes what it folds
   */
  Levels(Predicate<Fold> isApart) {
    this.isApart = isApart;
  }

  /** All nodes that a node needs, itself among them, before those that need them. */
  void collect(Node node, Set<Node> seen) {
    if (seen.contains(node)) {
      return;
    }
    switch (node) {
      case Node.Apply apply -> apply.operands.forEach(operand -> collect(operand, seen));
      case Node.Spread spread -> collect(spread.kept, seen);
      case Node.Folded folded -> {
        folded.fold.inputs().forEach(input -> collect(input, seen));
        folded.fold.initials().forEach(initial -> collect(initial, seen));
      }
      case Node.Read read -> {}
      case Node.Immediate immediate -> {}
    }
    seen.add(node);
  }

  /** The first pass in which a value can be computed, of each position. */
  int pass(Node node) {
    Integer known = passes.get(node);
    if (known == null) {
      known = newPass(node);
      passes.put(node, known);
    }
    return known;
  }

  private int newPass(Node node) {
    return switch (node) {
      case Node.Apply apply -> apply.operands.stream().mapToInt(this::pass).max().orElse(0);
      case Node.Spread spread -> ready(spread.kept);
      case Node.Folded folded -> pass(folded.fold);
      case Node.Read read -> 0;
      case Node.Immediate immediate -> 0;
    };
  }

  /** The pass in which a fold can be done. */
  int pass(Fold fold) {
    int computed = fold.inputs().stream().mapToInt(this::pass).max().orElse(0);
    return isApart.test(fold) ? computed + 1 : computed;
  }

  /** After how many passes a value is known, of each result. */
  int ready(Node node) {
    Integer known = passesBefore.get(node);
    if (known == null) {
      known = newReady(node);
      passesBefore.put(node, known);
    }
    return known;
  }

  private int newReady(Node node) {
    return switch (node) {
      case Node.Apply apply -> apply.operands.stream().mapToInt(this::ready).max().orElse(0);
      case Node.Folded folded -> pass(folded.fold) + 1;
      case Node.Spread spread -> throw new AssertionError("a spread result where none is");
      case Node.Read read -> 0;
      case Node.Immediate immediate -> 0;
    };
  }

  /** What values need in a pass that an earlier pass could have computed and that costs much. */
  Set<Node> expensive(Collection<Node> nodes, int pass) {
    Set<Node> found = new LinkedHashSet<>();
    Set<Node> seen = new HashSet<>();
    nodes.forEach(node -> expensive(node, pass, seen, found));
    return found;
  }

  private void expensive(Node node, int pass, Set<Node> seen, Set<Node> found) {
    if (!seen.add(node)) {
      return;
    }
    if (pass(node) < pass && isExpensive(node)) {
      found.add(node);
    } else if (node instanceof Node.Apply apply) {
      apply.operands.forEach(operand -> expensive(operand, pass, seen, found));
    }
  }

  /** Whether a value needs in a pass what costs much and no earlier pass could have computed. */
  boolean isExpensive(Node node, int pass) {
    return isExpensive(node, pass, new HashSet<>());
  }

  private boolean isExpensive(Node node, int pass, Set<Node> seen) {
    return node instanceof Node.Apply apply
        && seen.add(node)
        && pass(node) == pass
        && (isCostly(apply)
            || apply.operands.stream().anyMatch(operand -> isExpensive(operand, pass, seen)));
  }

  /** Whether a value costs much, in whatever pass. */
  boolean isExpensive(Node node) {
    Boolean known = expensive.get(node);
    if (known == null) {
      known =
          node instanceof Node.Apply apply
              && (isCostly(apply) || apply.operands.stream().anyMatch(this::isExpensive));
      expensive.put(node, known);
    }
    return known;
  }

  private static boolean isCostly(Node.Apply apply) {
    return apply.op instanceof Elementwise op && !CheapOps.contains(op.kind());
  }
}
