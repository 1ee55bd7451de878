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
 * What short rows read, reduce, keep and store when each lane has a row. Rows come in sides: so
 * many, one behind the other, of which everything that is read is equally far apart.
 */
final class BlockPlan {
  /**
   * What is read.
   *
   * @param number which array and position it has
   * @param input which of the operands and tables
   * @param offset where the first row begins in it
   * @param sides where sides begin, the offset not counted
   * @param rowStride how far rows of a side are apart
   * @param elementStride how far elements of a row are apart
   * @param isOfRow whether there is one for each row, not for each element
   * @param isShared whether it is the same for all sides
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
    /** Whether it is copied, so that rows are contiguous. */
    boolean isTiled() {
      return rowStride != 0 && rowStride != 1;
    }
  }

  private record Seen(
      ReduceNode.Read read, DimensionWalk rows, int elementStride, boolean isOfRow) {}

  private final boolean sumsApart;
  final PassAssignment levels = new PassAssignment(this::isApart);
  final ImmutableList<ReduceNode> roots;

  /** How many elements a row has. */
  final int depth;

  /** How many rows there are. */
  final int count;

  /** How many rows a side has. */
  final int side;

  private final ReductionSpace space;

  /** Why it is no plan to go by. */
  final Obstacle obstacle = new Obstacle();

  final Map<ReduceNode, Leaf> leaves = new LinkedHashMap<>();
  final Map<ReduceNode, Integer> saved = new LinkedHashMap<>();

  /** For each reduction the number of the array of its first result. */
  final Map<Reduction, Integer> reduced = new LinkedHashMap<>();

  final List<Reduction> reductions = new ArrayList<>();
  final int passes;
  final int firstResult;
  final int firstOutput;
  private final Set<ReduceNode> full = new HashSet<>();
  private final List<Seen> reads = new ArrayList<>();
  private final Map<Integer, BlockPass> does = new HashMap<>();
  private final Set<ReduceNode> visited = new HashSet<>();

  /** Whether the positions of a space lie in rows. */
  static boolean hasRows(ReductionSpace space) {
    return space.reduced().sizes().length() == (space.reductionsInner() ? 0 : 1);
  }

  /**
   * What some results take, of a space that {@link #hasRows}.
   *
   * @param graph the computation
   * @param results its results
   * @param isFull for each whether it has an element for each that is reduced
   * @param sumsApart whether floats of at most 32 bits that cost much are summed in a pass of their
   *     own: what is computed in the pass before then has vectors of as many lanes as there are
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
    side = common;
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

  /** Whether a sum has a pass of its own. */
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
      if (last > side) {
        sizes.add(last / side);
        strides.add(rowStride * side);
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

  /** What costs much and is needed again later is kept for it. */
  private void saveExpensive() {
    for (int pass = 1; pass < passes; pass++) {
      for (ReduceNode node : levels.expensive(elements(pass), pass)) {
        saved.putIfAbsent(node, leaves.size() + saved.size());
      }
    }
  }

  /** The number of the array of a result. */
  int output(int result) {
    return firstOutput + result;
  }

  /** How many arrays there are. */
  int arrays() {
    return output(roots.size());
  }

  /** Whether a result has an element for each that is reduced. */
  boolean isFull(ReduceNode root) {
    return full.contains(root);
  }

  /** Whether rows lie along the innermost dimension, not across it. */
  boolean reducesInner() {
    return space.reductionsInner();
  }

  /** What a pass takes. */
  BlockPass does(int pass) {
    return does.computeIfAbsent(pass, key -> new BlockPass(this, key));
  }

  /** What each pass takes, in order. */
  Stream<BlockPass> does() {
    return IntStream.range(0, passes).mapToObj(this::does);
  }

  /** What a pass reduces. */
  List<Reduction> reductions(int pass) {
    return reductions.stream().filter(reduction -> levels.pass(reduction) == pass).toList();
  }

  /** What a pass reduces or stores, of each element. */
  Set<ReduceNode> elements(int pass) {
    Set<ReduceNode> found = new LinkedHashSet<>();
    reductions(pass).forEach(reduction -> found.addAll(reduction.inputs()));
    found.addAll(stored(pass));
    return found;
  }

  /** What follows from a pass, of each row. */
  Set<ReduceNode> rows(int pass) {
    Set<ReduceNode> found = new LinkedHashSet<>();
    roots.stream()
        .filter(root -> !isFull(root))
        .filter(root -> Math.max(1, levels.ready(root)) == pass + 1)
        .forEach(found::add);
    return found;
  }

  /** Whether a value was kept by an earlier pass. */
  boolean isSaved(ReduceNode node, int pass) {
    return saved.containsKey(node) && levels.pass(node) < pass;
  }

  /** What a pass stores, of each element. */
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
   * How far elements of a row are apart in a result that has all of them; 1 if rows lie one behind
   * the other, else they are contiguous.
   */
  int elementStride() {
    return space.reductionsInner() ? 1 : space.inner();
  }

  /** Where a row begins in a result that has all its elements. */
  int start(int row) {
    return space.reductionsInner()
        ? row * depth
        : space.kept().at(row / space.inner()) + row % space.inner();
  }

  /** What the arrays hold, by their numbers. */
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

  /** Rows lie across the innermost dimension. */
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
