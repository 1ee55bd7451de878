package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.interpreter.compiled.expr.Formula;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;

/**
 * The cost and the structure of one pass of a {@link BlockPlan}. The cost selects a kernel and the
 * degree of unrolling; the structure is part of the key under which the generated loop is cached.
 */
final class PassCost {
  private final BlockPlan plan;
  private final int pass;

  /** What is computed for each element. */
  private final Formula<LoopNode> elements;

  /** What is computed for each row. */
  private final Formula<LoopNode> rows;

  PassCost(BlockPlan plan, int pass) {
    this.plan = plan;
    this.pass = pass;
    List<Reduction> reductions = plan.reductions(pass);
    List<LoopNode> ofElements = new ArrayList<>(plan.stored(pass));
    reductions.forEach(reduction -> ofElements.addAll(reduction.inputs()));
    elements = new Formula<>(List.of(), ofElements, node -> plan.elementTerm(node, pass));
    List<LoopNode> ofRows = new ArrayList<>();
    elements.terms().keySet().stream().filter(plan.program::isOfRow).forEach(ofRows::add);
    reductions.forEach(reduction -> ofRows.addAll(reduction.initials()));
    plan.rowResults(pass).forEach(i -> ofRows.add(plan.roots.get(i)));
    rows = new Formula<>(List.of(), ofRows, LoopNode::term);
  }

  /** {@return the approximate number of operations for each element} */
  int operationsPerElement() {
    return operations(elements);
  }

  /**
   * {@return the approximate number of operations for each row, in addition to those of its
   * elements}
   */
  int operationsPerRow() {
    return operations(rows);
  }

  private static int operations(Formula<LoopNode> formula) {
    return formula.applied().mapToInt(term -> term.traits().operations()).sum();
  }

  /** {@return the number of bits of the widest lane} */
  int widest() {
    boolean hasSums =
        plan.reductions(pass).stream().anyMatch(reduction -> reduction.body().isSum());
    return Stream.of(
            Integer.SIZE, elements.widestBits(), rows.widestBits(), hasSums ? Long.SIZE : 0)
        .reduce(0, Math::max);
  }

  /** {@return a key that is equal for passes with the same code} */
  List<Object> structure() {
    List<Object> all =
        new ArrayList<>(
            List.of(
                plan.types(),
                elements.structure(this::source),
                rows.structure(this::source),
                List.of(plan.firstResult, plan.firstOutput),
                plan.rowResults(pass)));
    for (Reduction reduction : plan.reductions(pass)) {
      all.add(
          List.of(
              requireNonNull(plan.resultArrays.get(reduction)),
              reduction.body().code().structure()));
    }
    for (LoopNode node : plan.stored(pass)) {
      all.add(plan.storedIn(node));
    }
    return all;
  }

  private String source(LoopNode node) {
    if (plan.isSaved(node, pass)) {
      return "saved " + plan.savedArray(node);
    } else if (node instanceof LoopNode.Reduced reduced) {
      return "reduced " + plan.resultArrays.get(reduced.reduction()) + " " + reduced.output();
    } else if (node instanceof LoopNode.Read) {
      BlockPlan.Leaf leaf = plan.leaf(node);
      return leaf.number()
          + (leaf.rowStride() == 0 ? " same " : leaf.isTiled() ? " tiled " : " ")
          + (leaf.isTiled() && !leaf.isOfRow() ? "elements" : leaf.elementStride());
    }
    return "of the row";
  }
}
