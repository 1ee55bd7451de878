package org.hlo4j.interpreter.compiled.reduce;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.interpreter.compiled.expr.CheapOps;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;

/**
 * The passes of a program over its rows: a value is computed in the first pass after all reductions
 * on which it depends. Values that are expensive are saved for later passes.
 */
class Passes {
  final RowProgram program;

  /** What is read, in order, and whether it is read for each element, not only for each row. */
  final Map<LoopNode.Read, Boolean> reads = new LinkedHashMap<>();

  final List<Reduction> reductions = new ArrayList<>();

  /** The values of rows that elements are computed from, and the results of reductions. */
  final Set<LoopNode> rowValues = new LinkedHashSet<>();

  final Set<LoopNode> saved = new LinkedHashSet<>();
  final int passCount;
  private final boolean separatesSums;
  private final Set<LoopNode> visited = new HashSet<>();
  private final Memo<LoopNode, Integer> passes = new Memo<>(this::computePass);
  private final Memo<LoopNode, Integer> passesBefore = new Memo<>(this::computePassCountBefore);
  private final Memo<LoopNode, Boolean> expensive = new Memo<>(this::computeIsExpensive);

  /**
   * Assigns the values of a program to passes.
   *
   * @param separatesSums whether sums of floats of at most 32 bits that are expensive to compute
   *     have a pass of their own. The pass that computes the floats then has no f64 lanes, and its
   *     vectors have the full number of lanes
   */
  Passes(RowProgram program, boolean separatesSums) {
    this.program = program;
    this.separatesSums = separatesSums;
    results().forEach(i -> visit(program.roots().get(i), isFull(i)));
    passCount =
        1
            + Math.max(
                reductions.stream().mapToInt(this::pass).max().orElse(0),
                results()
                    .filter(this::isFull)
                    .map(i -> pass(program.roots().get(i)))
                    .max()
                    .orElse(0));
  }

  private void visit(LoopNode node, boolean isOfElement) {
    if (isOfElement && program.isOfRow(node)) {
      rowValues.add(node);
      visit(node, false);
    } else if (visited.add(node)) {
      switch (node) {
        case LoopNode.Immediate _, LoopNode.Count _ -> {}
        case LoopNode.Read read -> reads.put(read, isOfElement);
        case LoopNode.Apply apply ->
            apply.operands().forEach(operand -> visit(operand, isOfElement));
        case LoopNode.Reduced reduced -> {
          rowValues.add(reduced);
          if (!reductions.contains(reduced.reduction())) {
            reductions.add(reduced.reduction());
            reduced.reduction().initials().forEach(initial -> visit(initial, false));
            reduced.reduction().inputs().forEach(input -> visit(input, true));
          }
        }
      }
    }
  }

  private IntStream results() {
    return IntStream.range(0, program.roots().size());
  }

  /** {@return whether a result has an element for each element of a row} */
  final boolean isFull(int result) {
    return program.isFull().get(result);
  }

  private boolean needsSeparatePass(Reduction reduction) {
    return separatesSums
        && reduction.body().isSum()
        && reduction.body().type().bits() < Long.SIZE
        && expensive.get(reduction.inputs().get(0));
  }

  /** {@return whether a sum has a pass of its own} */
  final boolean hasSeparateSums() {
    return reductions.stream().anyMatch(this::needsSeparatePass);
  }

  /** {@return the first pass that can compute a value of each element} */
  final int pass(LoopNode node) {
    return passes.get(node);
  }

  private int computePass(LoopNode node) {
    return program.isOfRow(node)
        ? passCountBefore(node)
        : node instanceof LoopNode.Apply apply
            ? apply.operands().stream().mapToInt(this::pass).max().orElse(0)
            : 0;
  }

  /** {@return the pass that runs a reduction} */
  final int pass(Reduction reduction) {
    int computed = reduction.inputs().stream().mapToInt(this::pass).max().orElse(0);
    return needsSeparatePass(reduction) ? computed + 1 : computed;
  }

  /** {@return the number of passes after which a value of each row is known} */
  final int passCountBefore(LoopNode node) {
    return passesBefore.get(node);
  }

  private int computePassCountBefore(LoopNode node) {
    return switch (node) {
      case LoopNode.Reduced reduced -> pass(reduced.reduction()) + 1;
      case LoopNode.Apply apply ->
          apply.operands().stream().mapToInt(this::passCountBefore).max().orElse(0);
      case LoopNode.Read _, LoopNode.Immediate _, LoopNode.Count _ -> 0;
    };
  }

  /** {@return the reductions of a pass} */
  final List<Reduction> reductions(int pass) {
    return reductions.stream().filter(reduction -> pass(reduction) == pass).toList();
  }

  /** {@return the values that a pass stores for each element} */
  final Set<LoopNode> stored(int pass) {
    Set<LoopNode> found = new LinkedHashSet<>(saved);
    full(pass).forEach(i -> found.add(program.roots().get(i)));
    found.removeIf(node -> pass(node) != pass);
    return found;
  }

  /** {@return the results with an element for each element of a row that a pass computes} */
  final List<Integer> full(int pass) {
    return results()
        .filter(i -> isFull(i) && pass(program.roots().get(i)) == pass)
        .boxed()
        .toList();
  }

  /** {@return the values that a pass reduces or stores for each element} */
  final Set<LoopNode> elements(int pass) {
    Set<LoopNode> found = new LinkedHashSet<>();
    reductions(pass).forEach(reduction -> found.addAll(reduction.inputs()));
    found.addAll(stored(pass));
    return found;
  }

  /**
   * {@return the results with one element for each row that can be computed once a pass is over}
   */
  final List<Integer> rowResults(int pass) {
    return results()
        .filter(i -> !isFull(i))
        .filter(i -> Math.max(1, passCountBefore(program.roots().get(i))) == pass + 1)
        .boxed()
        .toList();
  }

  /** Saves expensive values that a later pass needs again. */
  final void saveExpensive() {
    for (int pass = 1; pass < passCount; pass++) {
      Set<LoopNode> seen = new HashSet<>();
      for (LoopNode node : elements(pass)) {
        saveExpensive(node, pass, seen);
      }
    }
  }

  private void saveExpensive(LoopNode node, int pass, Set<LoopNode> seen) {
    if (!seen.add(node) || program.isOfRow(node) || !(node instanceof LoopNode.Apply apply)) {
      return;
    }
    if (pass(node) < pass && expensive.get(node)) {
      saved.add(node);
    } else {
      apply.operands().forEach(operand -> saveExpensive(operand, pass, seen));
    }
  }

  /** Computes whether a value of an element needs an expensive op in any pass. */
  private boolean computeIsExpensive(LoopNode node) {
    return node instanceof LoopNode.Apply apply
        && !program.isOfRow(node)
        && (isCostly(apply) || apply.operands().stream().anyMatch(expensive::get));
  }

  private static boolean isCostly(LoopNode.Apply apply) {
    return apply.op() instanceof Elementwise op && !CheapOps.contains(op.kind());
  }

  /** {@return whether an earlier pass saved a value} */
  final boolean isSaved(LoopNode node, int pass) {
    return saved.contains(node) && pass(node) < pass;
  }
}
