package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import com.google.common.math.IntMath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.index.Offsets;

/**
 * A plan for the kernels that process blocks of rows: what they read, reduce, save and store. It
 * serves kernels with one row per lane and kernels with all lanes in one row. Rows are grouped into
 * sides: a side is a number of consecutive rows for which everything that is read has a constant
 * row stride.
 */
final class BlockPlan {
  /**
   * An array that is read.
   *
   * @param number the index of its array and of its position
   * @param input the index of the operand or table
   * @param offset the index of the first row
   * @param segmentStarts where sides begin, without the offset
   * @param rowStride the stride of the rows within a side
   * @param elementStride the stride of the elements of a row
   * @param isOfRow whether there is one element for each row, not one for each element of a row
   * @param isShared whether all sides read the same elements
   */
  record Leaf(
      int number,
      int input,
      int offset,
      Offsets segmentStarts,
      int rowStride,
      int elementStride,
      boolean isOfRow,
      boolean isShared) {
    /**
     * {@return whether it is transposed into a tile in which equal elements of neighbouring rows
     * are contiguous}
     */
    boolean isTiled() {
      return rowStride != 0 && rowStride != 1;
    }

    /** {@return whether loops compute it, a block at a time} */
    boolean isComputed() {
      return input < 0;
    }
  }

  private record AccessPattern(
      ReduceNode.Read read, Offsets rows, int elementStride, boolean isOfRow) {}

  private final boolean separatesSums;
  final PassAssignment passAssignment = new PassAssignment(this::needsSeparatePass);
  final ImmutableList<ReduceNode> roots;

  /** The number of elements in a row. */
  final int depth;

  /** The number of rows. */
  final int rowCount;

  /** The number of rows in a side. */
  final int segment;

  private final ReductionSpace space;

  /** The reason why the plan cannot be used, if there is one. */
  final Obstacle obstacle = new Obstacle();

  final Map<ReduceNode, Leaf> leaves = new LinkedHashMap<>();
  final Map<ReduceNode, Integer> saved = new LinkedHashMap<>();

  /** For each reduction, the index of the array of its first result. */
  final Map<Reduction, Integer> resultArrays = new LinkedHashMap<>();

  final List<Reduction> reductions = new ArrayList<>();
  final int passCount;
  final int firstResult;
  final int firstOutput;
  private final Set<ReduceNode> full = new HashSet<>();
  private final List<AccessPattern> reads = new ArrayList<>();
  private final Map<Integer, PassCost> costs = new HashMap<>();
  private final Set<ReduceNode> visited = new HashSet<>();

  /** {@return whether the reduced positions of a space form rows with a constant stride} */
  static boolean hasRows(ReductionSpace space) {
    return space.reduced().sizes().length() == (space.isInnerReduced() ? 0 : 1);
  }

  /**
   * Creates the plan of some results, in a space for which {@link #hasRows} is true.
   *
   * @param graph the computation
   * @param results its results
   * @param isFull for each result, whether it has an element for each position that is reduced
   * @param separatesSums whether sums of floats of at most 32 bits that are expensive to compute
   *     have a pass of their own. The pass that computes the floats then has no f64 lanes, and its
   *     vectors have the full number of lanes
   */
  BlockPlan(
      ReduceGraph graph, List<ReduceNode> results, List<Boolean> isFull, boolean separatesSums) {
    this.separatesSums = separatesSums;
    space = graph.collapsed();
    roots = ImmutableList.copyOf(results);
    depth = Math.toIntExact(space.depth());
    rowCount = space.results();
    Set<ReduceNode> needed = new LinkedHashSet<>();
    for (int i = 0; i < results.size(); i++) {
      passAssignment.collect(results.get(i), needed);
      visit(results.get(i), isFull.get(i));
      if (isFull.get(i)) {
        full.add(results.get(i));
      }
    }
    passCount = 1 + needed.stream().mapToInt(passAssignment::pass).max().orElse(0);
    int common = space.isInnerReduced() ? rowCount : space.inner();
    for (AccessPattern access : reads) {
      common = IntMath.gcd(common, access.rows.innerSize());
    }
    segment = common;
    reads.forEach(access -> leaves.put(access.read, leaf(access)));
    saveExpensive();
    firstResult = leaves.size() + saved.size();
    int next = firstResult;
    for (Reduction reduction : reductions) {
      resultArrays.put(reduction, next);
      next += reduction.inputs().size();
    }
    firstOutput = next;
  }

  private boolean needsSeparatePass(Reduction reduction) {
    return separatesSums
        && reduction.body().isSum()
        && reduction.body().type().bits() < Long.SIZE
        && passAssignment.isExpensive(reduction.inputs().get(0));
  }

  /** {@return whether a sum has a pass of its own} */
  boolean hasSeparateSums() {
    return reductions.stream().anyMatch(this::needsSeparatePass);
  }

  private Leaf leaf(AccessPattern access) {
    Offsets segmentStarts = access.rows.each(segment);
    return new Leaf(
        leaves.size(),
        access.read.input,
        access.read.view.offset(),
        segmentStarts,
        access.rows.innerStride(),
        access.elementStride,
        access.isOfRow,
        !access.read.isComputed() && segmentStarts.isZero());
  }

  /** Saves expensive values that a later pass needs again. */
  private void saveExpensive() {
    for (int pass = 1; pass < passCount; pass++) {
      for (ReduceNode node : passAssignment.expensive(elements(pass), pass)) {
        saved.putIfAbsent(node, leaves.size() + saved.size());
      }
    }
  }

  /** {@return the index of the array of a result} */
  int output(int result) {
    return firstOutput + result;
  }

  /** {@return the number of arrays} */
  int arrayCount() {
    return output(roots.size());
  }

  /** {@return whether a result has an element for each position that is reduced} */
  boolean isFull(ReduceNode root) {
    return full.contains(root);
  }

  /** {@return whether rows extend along the innermost dimension, not across it} */
  boolean isInnerReduced() {
    return space.isInnerReduced();
  }

  /** {@return the cost and structure of a pass} */
  PassCost cost(int pass) {
    return costs.computeIfAbsent(pass, key -> new PassCost(this, key));
  }

  /** {@return the cost and structure of each pass, in order} */
  Stream<PassCost> cost() {
    return IntStream.range(0, passCount).mapToObj(this::cost);
  }

  /** {@return the reductions of a pass} */
  List<Reduction> reductions(int pass) {
    return reductions.stream().filter(reduction -> passAssignment.pass(reduction) == pass).toList();
  }

  /** {@return the number of accumulators of a reduction with one row per lane} */
  int accumulators(Reduction reduction) {
    return SummationOrder.across(reduction.body(), depth).accumulators();
  }

  /** {@return the greatest number of accumulators of the reductions of a pass} */
  int accumulators(int pass) {
    return reductions(pass).stream().mapToInt(this::accumulators).max().orElse(1);
  }

  /** {@return the values that a pass reduces or stores for each element} */
  Set<ReduceNode> elements(int pass) {
    Set<ReduceNode> found = new LinkedHashSet<>();
    reductions(pass).forEach(reduction -> found.addAll(reduction.inputs()));
    found.addAll(stored(pass));
    return found;
  }

  /**
   * {@return the results with one element for each row that can be computed once a pass is over}
   */
  Set<ReduceNode> rowResults(int pass) {
    Set<ReduceNode> found = new LinkedHashSet<>();
    roots.stream()
        .filter(root -> !isFull(root))
        .filter(root -> Math.max(1, passAssignment.passCountBefore(root)) == pass + 1)
        .forEach(found::add);
    return found;
  }

  /** {@return whether an earlier pass saved a value} */
  boolean isSaved(ReduceNode node, int pass) {
    return saved.containsKey(node) && passAssignment.pass(node) < pass;
  }

  /** {@return the values that a pass stores for each element} */
  Set<ReduceNode> stored(int pass) {
    Set<ReduceNode> found = new LinkedHashSet<>();
    saved.keySet().stream().filter(node -> passAssignment.pass(node) == pass).forEach(found::add);
    roots.stream()
        .filter(full::contains)
        .filter(node -> passAssignment.pass(node) == pass)
        .forEach(found::add);
    return found;
  }

  /**
   * {@return the stride of the elements of a row in a result that has all of them: 1 if rows follow
   * each other in memory, otherwise the size of the innermost dimension, in which neighbouring rows
   * are contiguous}
   */
  int elementStride() {
    return space.isInnerReduced() ? 1 : space.inner();
  }

  /** {@return the index at which a row begins in a result that has all its elements} */
  int start(int row) {
    return space.isInnerReduced()
        ? row * depth
        : space.kept().at(row / space.inner()) + row % space.inner();
  }

  /** {@return the element types of the arrays, in the order of their indices} */
  List<ElementType> types() {
    List<ElementType> types = new ArrayList<>();
    leaves.keySet().forEach(node -> types.add(node.type()));
    saved.keySet().forEach(node -> types.add(node.type()));
    reductions.forEach(reduction -> reduction.inputs().forEach(input -> types.add(input.type())));
    roots.forEach(node -> types.add(node.type()));
    return types;
  }

  private void visit(ReduceNode node, boolean isOfElement) {
    if (!visited.add(node)) {
      return;
    }
    switch (node) {
      case ReduceNode.Immediate immediate -> {}
      case ReduceNode.Read read -> reads.add(isOfElement ? elementAccess(read) : rowAccess(read));
      case ReduceNode.BroadcastBack broadcast -> visit(broadcast.kept, false);
      case ReduceNode.Apply apply ->
          apply.operands().forEach(operand -> visit(operand, isOfElement));
      case ReduceNode.Reduced result -> {
        if (!reductions.contains(result.reduction)) {
          reductions.add(result.reduction);
          result.reduction.initials().forEach(initial -> visit(initial, false));
          result.reduction.inputs().forEach(input -> visit(input, true));
        }
      }
    }
  }

  private AccessPattern elementAccess(ReduceNode.Read read) {
    if (!space.isInnerReduced()) {
      return read.isComputed() ? severalStrides(read) : columnAccess(read);
    }
    Optional<Integer> stride = read.view.strideWithin(depth);
    return stride.isEmpty()
        ? severalStrides(read)
        : new AccessPattern(read, read.view.rowStarts(depth), stride.get(), stride.get() == 0);
  }

  /** Returns the strides of a read when rows extend across the innermost dimension. */
  private AccessPattern columnAccess(ReduceNode.Read read) {
    Optional<Offsets> kept = read.view.imageOf(space.kept());
    Optional<Offsets> inner = read.view.imageOf(walk(space.inner(), 1));
    Optional<Offsets> reduced = read.view.imageOf(space.reduced());
    if (kept.isEmpty() || inner.isEmpty() || reduced.isEmpty()) {
      return severalStrides(read);
    }
    int stride = reduced.get().innerStride();
    return new AccessPattern(read, kept.get().then(inner.get()), stride, stride == 0);
  }

  private AccessPattern severalStrides(ReduceNode.Read read) {
    obstacle.add("a view of several strides");
    return rowAccess(read);
  }

  private static Offsets walk(int size, int stride) {
    return Offsets.of(List.of(size), List.of(stride));
  }

  private static AccessPattern rowAccess(ReduceNode.Read read) {
    return new AccessPattern(read, read.view.rowStarts(1), 0, true);
  }
}
