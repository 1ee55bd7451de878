package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import com.google.common.math.IntMath;
import com.google.common.primitives.ImmutableIntArray;
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
   * @param sides where sides begin, without the offset
   * @param rowStride the stride of the rows within a side
   * @param elementStride the stride of the elements of a row
   * @param isOfRow whether there is one element for each row, not one for each element of a row
   * @param isShared whether all sides read the same elements
   */
  record Leaf(
      int number,
      int input,
      int offset,
      DimensionWalk sides,
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
  }

  private record Seen(
      ReduceNode.Read read, DimensionWalk rows, int elementStride, boolean isOfRow) {}

  private final boolean sumsApart;
  final PassAssignment levels = new PassAssignment(this::isApart);
  final ImmutableList<ReduceNode> roots;

  /** The number of elements in a row. */
  final int depth;

  /** The number of rows. */
  final int count;

  /** The number of rows in a side. */
  final int segment;

  private final ReductionSpace space;

  /** The reason why the plan cannot be used, if there is one. */
  final Obstacle obstacle = new Obstacle();

  final Map<ReduceNode, Leaf> leaves = new LinkedHashMap<>();
  final Map<ReduceNode, Integer> saved = new LinkedHashMap<>();

  /** For each reduction, the index of the array of its first result. */
  final Map<Reduction, Integer> reduced = new LinkedHashMap<>();

  final List<Reduction> reductions = new ArrayList<>();
  final int passes;
  final int firstResult;
  final int firstOutput;
  private final Set<ReduceNode> full = new HashSet<>();
  private final List<Seen> reads = new ArrayList<>();
  private final Map<Integer, PassCost> does = new HashMap<>();
  private final Set<ReduceNode> visited = new HashSet<>();

  /** {@return whether the reduced positions of a space form rows with a constant stride} */
  static boolean hasRows(ReductionSpace space) {
    return space.reduced().sizes().length() == (space.reductionsInner() ? 0 : 1);
  }

  /**
   * Creates the plan of some results, in a space for which {@link #hasRows} is true.
   *
   * @param graph the computation
   * @param results its results
   * @param isFull for each result, whether it has an element for each position that is reduced
   * @param sumsApart whether sums of floats of at most 32 bits that are expensive to compute have a
   *     pass of their own. The pass that computes the floats then has no f64 lanes, and its vectors
   *     have the full number of lanes
   */
  BlockPlan(ReduceGraph graph, List<ReduceNode> results, List<Boolean> isFull, boolean sumsApart) {
    this.sumsApart = sumsApart;
    space = graph.collapsed();
    roots = ImmutableList.copyOf(results);
    depth = Math.toIntExact(space.depth());
    count = space.results();
    Set<ReduceNode> needed = new LinkedHashSet<>();
    for (int i = 0; i < results.size(); i++) {
      levels.collect(results.get(i), needed);
      visit(results.get(i), isFull.get(i));
      if (isFull.get(i)) {
        full.add(results.get(i));
      }
    }
    passes = 1 + needed.stream().mapToInt(levels::pass).max().orElse(0);
    int common = space.reductionsInner() ? count : space.inner();
    for (Seen seen : reads) {
      ImmutableIntArray sizes = seen.rows.sizes();
      common = sizes.isEmpty() ? common : IntMath.gcd(common, sizes.get(sizes.length() - 1));
    }
    segment = common;
    reads.forEach(seen -> leaves.put(seen.read, leaf(seen)));
    saveExpensive();
    firstResult = leaves.size() + saved.size();
    int next = firstResult;
    for (Reduction reduction : reductions) {
      reduced.put(reduction, next);
      next += reduction.inputs().size();
    }
    firstOutput = next;
  }

  private boolean isApart(Reduction reduction) {
    return sumsApart
        && reduction.body().isSum()
        && reduction.body().type().bits() < Long.SIZE
        && levels.isExpensive(reduction.inputs().get(0));
  }

  /** {@return whether a sum has a pass of its own} */
  boolean hasSumsApart() {
    return reductions.stream().anyMatch(this::isApart);
  }

  private Leaf leaf(Seen seen) {
    List<Integer> sizes = new ArrayList<>(seen.rows.sizes().asList());
    List<Integer> strides = new ArrayList<>(seen.rows.strides().asList());
    int rowStride = 0;
    if (!sizes.isEmpty()) {
      rowStride = strides.getLast();
      int last = sizes.removeLast();
      strides.removeLast();
      if (last > segment) {
        sizes.add(last / segment);
        strides.add(rowStride * segment);
      }
    }
    DimensionWalk sides =
        new DimensionWalk(ImmutableIntArray.copyOf(sizes), ImmutableIntArray.copyOf(strides));
    return new Leaf(
        leaves.size(),
        seen.read.input,
        seen.read.view.offset(),
        sides,
        rowStride,
        seen.elementStride,
        seen.isOfRow,
        strides.stream().allMatch(stride -> stride == 0));
  }

  /** Saves expensive values that a later pass needs again. */
  private void saveExpensive() {
    for (int pass = 1; pass < passes; pass++) {
      for (ReduceNode node : levels.expensive(elements(pass), pass)) {
        saved.putIfAbsent(node, leaves.size() + saved.size());
      }
    }
  }

  /** {@return the index of the array of a result} */
  int output(int result) {
    return firstOutput + result;
  }

  /** {@return the number of arrays} */
  int arrays() {
    return output(roots.size());
  }

  /** {@return whether a result has an element for each position that is reduced} */
  boolean isFull(ReduceNode root) {
    return full.contains(root);
  }

  /** {@return whether rows extend along the innermost dimension, not across it} */
  boolean reducesInner() {
    return space.reductionsInner();
  }

  /** {@return the cost and structure of a pass} */
  PassCost pass(int pass) {
    return does.computeIfAbsent(pass, key -> new PassCost(this, key));
  }

  /** {@return the cost and structure of each pass, in order} */
  Stream<PassCost> pass() {
    return IntStream.range(0, passes).mapToObj(this::pass);
  }

  /** {@return the reductions of a pass} */
  List<Reduction> reductions(int pass) {
    return reductions.stream().filter(reduction -> levels.pass(reduction) == pass).toList();
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
  Set<ReduceNode> rows(int pass) {
    Set<ReduceNode> found = new LinkedHashSet<>();
    roots.stream()
        .filter(root -> !isFull(root))
        .filter(root -> Math.max(1, levels.ready(root)) == pass + 1)
        .forEach(found::add);
    return found;
  }

  /** {@return whether an earlier pass saved a value} */
  boolean isSaved(ReduceNode node, int pass) {
    return saved.containsKey(node) && levels.pass(node) < pass;
  }

  /** {@return the values that a pass stores for each element} */
  Set<ReduceNode> stored(int pass) {
    Set<ReduceNode> found = new LinkedHashSet<>();
    saved.keySet().stream().filter(node -> levels.pass(node) == pass).forEach(found::add);
    roots.stream()
        .filter(full::contains)
        .filter(node -> levels.pass(node) == pass)
        .forEach(found::add);
    return found;
  }

  /**
   * {@return the stride of the elements of a row in a result that has all of them: 1 if rows follow
   * each other in memory, otherwise the size of the innermost dimension, in which neighbouring rows
   * are contiguous}
   */
  int elementStride() {
    return space.reductionsInner() ? 1 : space.inner();
  }

  /** {@return the index at which a row begins in a result that has all its elements} */
  int start(int row) {
    return space.reductionsInner()
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
      case ReduceNode.Read read -> reads.add(isOfElement ? ofElement(read) : ofRow(read));
      case ReduceNode.BroadcastBack broadcast -> visit(broadcast.kept, false);
      case ReduceNode.Apply apply -> apply.operands.forEach(operand -> visit(operand, isOfElement));
      case ReduceNode.Reduced result -> {
        if (!reductions.contains(result.reduction)) {
          reductions.add(result.reduction);
          result.reduction.initials().forEach(initial -> visit(initial, false));
          result.reduction.inputs().forEach(input -> visit(input, true));
        }
      }
    }
  }

  private Seen ofElement(ReduceNode.Read read) {
    if (!space.reductionsInner()) {
      return ofColumn(read);
    }
    Optional<Integer> stride = read.view.strideWithin(depth);
    return stride.isEmpty()
        ? severalStrides(read)
        : new Seen(read, read.view.groups(depth), stride.get(), stride.get() == 0);
  }

  /** Returns the strides of a read when rows extend across the innermost dimension. */
  private Seen ofColumn(ReduceNode.Read read) {
    Optional<DimensionWalk> kept = read.view.along(space.kept());
    Optional<DimensionWalk> inner = read.view.along(walk(space.inner(), 1));
    Optional<DimensionWalk> reduced = read.view.along(space.reduced());
    if (kept.isEmpty() || inner.isEmpty() || reduced.isEmpty()) {
      return severalStrides(read);
    }
    int stride = reduced.get().strides().get(0);
    return new Seen(read, kept.get().then(inner.get()), stride, stride == 0);
  }

  private Seen severalStrides(ReduceNode.Read read) {
    obstacle.add("a view of several strides");
    return ofRow(read);
  }

  private static DimensionWalk walk(int size, int stride) {
    return new DimensionWalk(ImmutableIntArray.of(size), ImmutableIntArray.of(stride));
  }

  private static Seen ofRow(ReduceNode.Read read) {
    return new Seen(read, read.view.groups(1), 0, true);
  }
}
