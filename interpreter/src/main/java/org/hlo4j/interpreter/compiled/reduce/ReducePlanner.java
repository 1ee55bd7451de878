package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.engine.KernelChoice;

/** The planner that assigns the values of a {@link ReduceGraph} to passes and to locations. */
final class ReducePlanner {
  /** Rows with at least this many rounds of accumulators are interleaved over several. */
  private static final int MIN_INTERLEAVED_ROUNDS = 4;

  private final ReduceGraph graph;
  private final ReductionSpace space;
  private final int operands;
  private final List<HloInstruction> results;
  private final PassAssignment passAssignment = new PassAssignment();
  private final List<ReducePlan.Local> locals = new ArrayList<>();
  private final Map<ReduceNode, ArrayLocation> kept = new HashMap<>();
  private final Map<ReduceNode, ArrayLocation> saved = new LinkedHashMap<>();

  /** For each computed array that is read, the workspace of the elements of a strip. */
  private final Map<Integer, ArrayLocation> computed = new LinkedHashMap<>();

  /** The computed arrays that the current pass reads. */
  private final Set<Integer> computedReads = new LinkedHashSet<>();

  private final Obstacle obstacle = new Obstacle();
  private int firstLocal;

  private ReducePlanner(ReduceGraph graph, int operands, List<HloInstruction> results) {
    this.graph = graph;
    this.space = graph.collapsed();
    this.operands = operands;
    this.results = results;
  }

  /**
   * Returns the kernel of a graph.
   *
   * @param graph the graph
   * @param operands the number of operands
   * @param results the results
   * @param isTuple whether the results are elements of a tuple
   * @return the kernel, or a decline
   */
  static KernelChoice kernel(
      ReduceGraph graph, int operands, List<HloInstruction> results, boolean isTuple) {
    ReducePlanner planner = new ReducePlanner(graph, operands, results);
    ReducePlan plan = planner.plan(isTuple);
    if (planner.obstacle.isMet()) {
      return KernelChoice.decline(planner.obstacle.reason());
    }
    return KernelChoice.of(
        plan.space().isInnerReduced()
            ? new LongRowReduceKernel(plan)
            : new StridedReduceKernel(plan));
  }

  private ReducePlan plan(boolean isTuple) {
    List<ReduceNode> roots = results.stream().map(graph::result).toList();
    firstLocal = operands + graph.tables().size() + roots.size() + graph.computed().size();
    Set<ReduceNode> needed = new LinkedHashSet<>();
    roots.forEach(root -> passAssignment.collect(root, needed));
    placeReduced(roots);
    placeBroadcast(needed);
    int count = 1 + lastPass(needed);
    saveExpensive(roots, needed);
    Optional<Strip> prologue = resultStrip(-1, roots);
    ImmutableList.Builder<ReducePass> passes = ImmutableList.builder();
    for (int pass = 0; pass < count; pass++) {
      passes.add(pass(pass, roots, needed));
    }
    return new ReducePlan(
        space,
        operands,
        ImmutableList.copyOf(graph.tables()),
        results.stream()
            .map(result -> ((Shape.Array) result.shape()).withLayout(null))
            .collect(ImmutableList.toImmutableList()),
        graph.computed(),
        ImmutableList.copyOf(locals),
        prologue,
        passes.build(),
        isTuple);
  }

  private int output(int result) {
    return operands + graph.tables().size() + result;
  }

  private ArrayLocation local(ElementType type, ReducePlan.Extent extent, ArrayLocation.Role role) {
    locals.add(new ReducePlan.Local(type, extent));
    return ArrayLocation.of(firstLocal + locals.size() - 1, role);
  }

  private boolean isFull(int result) {
    return graph.isFull(results.get(result));
  }

  /** Places the results of reductions that are outputs; the others get a workspace of the chunk. */
  private void placeReduced(List<ReduceNode> roots) {
    for (int i = 0; i < roots.size(); i++) {
      if (!isFull(i)) {
        kept.putIfAbsent(roots.get(i), ArrayLocation.of(output(i), ArrayLocation.Role.KEPT));
      }
    }
  }

  private void placeBroadcast(Set<ReduceNode> needed) {
    for (ReduceNode node : needed) {
      if (node instanceof ReduceNode.BroadcastBack broadcast) {
        place(broadcast.kept);
      } else if (node instanceof ReduceNode.Reduced reduced) {
        place(reduced);
      }
    }
    for (ReduceNode node : needed) {
      if (node instanceof ReduceNode.Reduced reduced) {
        allResults(reduced.reduction, needed);
      }
    }
  }

  private void place(ReduceNode node) {
    if (!kept.containsKey(node)) {
      kept.put(node, local(node.type(), ReducePlan.Extent.RESULTS, ArrayLocation.Role.LOCAL));
    }
  }

  /** The locations of the results of each reduction. Results that are not used are computed too. */
  private final Map<Reduction, List<ArrayLocation>> reductionResults = new HashMap<>();

  private void allResults(Reduction reduction, Set<ReduceNode> needed) {
    if (reductionResults.containsKey(reduction)) {
      return;
    }
    List<ArrayLocation> locations = new ArrayList<>();
    for (int k = 0; k < reduction.inputs().size(); k++) {
      int output = k;
      locations.add(
          needed.stream()
              .filter(node ->
                  node instanceof ReduceNode.Reduced reduced
                      && reduced.reduction.equals(reduction)
                      && reduced.output == output)
              .findFirst()
              .map(kept::get)
              .orElseGet(() ->
                  local(
                      reduction.inputs().get(output).type(),
                      ReducePlan.Extent.RESULTS,
                      ArrayLocation.Role.LOCAL)));
    }
    reductionResults.put(reduction, locations);
  }

  /** Places expensive values that a later pass needs again, so that they are saved until then. */
  private void saveExpensive(List<ReduceNode> roots, Set<ReduceNode> needed) {
    Set<Integer> takenOutputs = new LinkedHashSet<>();
    int last = lastPass(needed);
    for (int pass = 1; pass <= last; pass++) {
      for (ReduceNode node : passAssignment.expensive(fullRoots(pass, roots, needed), pass)) {
        if (!saved.containsKey(node)) {
          saveSlot(node, roots, last, takenOutputs)
              .ifPresent(location -> saved.put(node, location));
        }
      }
    }
  }

  private Optional<ArrayLocation> saveSlot(
      ReduceNode node, List<ReduceNode> roots, int last, Set<Integer> taken) {
    int result = roots.indexOf(node);
    if (result >= 0 && isFull(result)) {
      return Optional.of(ArrayLocation.of(output(result), ArrayLocation.Role.FULL));
    }
    for (int i = 0; i < roots.size(); i++) {
      if (isFull(i)
          && roots.get(i).type() == node.type()
          && passAssignment.pass(roots.get(i)) == last
          && taken.add(i)) {
        return Optional.of(ArrayLocation.of(output(i), ArrayLocation.Role.FULL));
      }
    }
    return space.isInnerReduced()
        ? Optional.of(local(node.type(), ReducePlan.Extent.POSITIONS, ArrayLocation.Role.SAVED))
        : Optional.empty();
  }

  /** {@return what a pass has to compute for each position, except for saved values} */
  private Set<ReduceNode> fullRoots(int pass, List<ReduceNode> roots, Set<ReduceNode> needed) {
    Set<ReduceNode> found = new LinkedHashSet<>();
    for (Reduction reduction : reductions(pass, needed)) {
      reduction.inputs().stream().filter(input -> !isDirect(input)).forEach(found::add);
    }
    for (int i = 0; i < roots.size(); i++) {
      if (isFull(i) && passAssignment.pass(roots.get(i)) == pass) {
        found.add(roots.get(i));
      }
    }
    return found;
  }

  private Set<Reduction> reductions(int pass, Set<ReduceNode> needed) {
    Set<Reduction> found = new LinkedHashSet<>();
    for (ReduceNode node : needed) {
      if (node instanceof ReduceNode.Reduced reduced
          && passAssignment.pass(reduced.reduction) == pass) {
        found.add(reduced.reduction);
      }
    }
    return found;
  }

  /** {@return whether a reduction can read a value in place} */
  private boolean isDirect(ReduceNode node) {
    return node instanceof ReduceNode.Read read && place(read).stride() == 1;
  }

  private ArrayLocation place(ReduceNode.Read read) {
    return place(read, space.inner());
  }

  private ArrayLocation place(ReduceNode.Read read, int inner) {
    if (read.isComputed()) {
      return computed.computeIfAbsent(
          read.input,
          _ -> local(read.type(), ReducePlan.Extent.STRIP, ArrayLocation.Role.WORKSPACE));
    }
    Optional<ArrayLocation> location = ArrayLocation.of(read.input, read.view, inner);
    if (location.isEmpty()) {
      obstacle.add("a view of several strides");
    }
    return location.orElseGet(() -> ArrayLocation.of(read.input, ArrayLocation.Role.READ));
  }

  private ReducePass pass(int pass, List<ReduceNode> roots, Set<ReduceNode> needed) {
    computedReads.clear();
    Map<ReduceNode, ArrayLocation> workspace = new HashMap<>();
    StripBuilder strip = new StripBuilder(space.inner(), node -> leaf(node, pass));
    saved.forEach((node, location) -> {
      if (passAssignment.pass(node) == pass) {
        strip.store(node, location);
      }
    });
    for (int i = 0; i < roots.size(); i++) {
      if (isFull(i) && passAssignment.pass(roots.get(i)) == pass) {
        strip.store(roots.get(i), ArrayLocation.of(output(i), ArrayLocation.Role.FULL));
      }
    }
    List<ReduceStep> steps = new ArrayList<>();
    for (Reduction reduction : reductions(pass, needed)) {
      ImmutableList.Builder<ArrayLocation> sources = ImmutableList.builder();
      for (ReduceNode input : reduction.inputs()) {
        sources.add(source(input, workspace, strip));
      }
      steps.add(step(reduction, sources.build()));
    }
    Optional<Strip> loop = strip.build("strip");
    ImmutableList<ReducePass.ComputedRead> reads =
        computedReads.stream()
            .map(input ->
                new ReducePass.ComputedRead(
                    firstLocal - graph.computed().size() - 1 - input,
                    requireNonNull(computed.get(input)).slot()))
            .collect(ImmutableList.toImmutableList());
    return new ReducePass(reads, loop, ImmutableList.copyOf(steps), resultStrip(pass, roots));
  }

  private int lastPass(Set<ReduceNode> needed) {
    return needed.stream().mapToInt(passAssignment::pass).max().orElse(0);
  }

  private ArrayLocation source(
      ReduceNode input, Map<ReduceNode, ArrayLocation> workspace, StripBuilder strip) {
    if (isDirect(input)) {
      addComputed((ReduceNode.Read) input);
      return place((ReduceNode.Read) input);
    }
    if (strip.stored(input).isPresent()) {
      return strip.stored(input).get();
    }
    return workspace.computeIfAbsent(
        input,
        node -> {
          ArrayLocation location =
              local(node.type(), ReducePlan.Extent.STRIP, ArrayLocation.Role.WORKSPACE);
          strip.store(node, location);
          return location;
        });
  }

  /**
   * {@return what a loop over positions reads for a node in a pass; empty if the node is to be
   * computed}
   */
  private Optional<StripBuilder.Source> leaf(ReduceNode node, int pass) {
    ArrayLocation location = saved.get(node);
    if (location != null && passAssignment.pass(node) < pass) {
      return Optional.of(new StripBuilder.Source(location, false));
    }
    return switch (node) {
      case ReduceNode.Read read -> {
        addComputed(read);
        ArrayLocation readLocation = place(read);
        yield Optional.of(new StripBuilder.Source(readLocation, readLocation.stride() == 0));
      }
      case ReduceNode.BroadcastBack broadcast ->
          Optional.of(
              new StripBuilder.Source(keptLocation(broadcast.kept), space.isInnerReduced()));
      case ReduceNode.Immediate immediate -> Optional.empty();
      case ReduceNode.Apply apply -> Optional.empty();
      case ReduceNode.Reduced reduced ->
          throw new AssertionError("a result where it is not broadcast");
    };
  }

  private void addComputed(ReduceNode.Read read) {
    if (read.isComputed()) {
      computedReads.add(read.input);
    }
  }

  private ArrayLocation keptLocation(ReduceNode node) {
    return requireNonNull(kept.get(node));
  }

  private ReduceStep step(Reduction reduction, ImmutableList<ArrayLocation> sources) {
    Reducer body = reduction.body();
    ImmutableList<ArrayLocation> locations =
        ImmutableList.copyOf(requireNonNull(reductionResults.get(reduction)));
    if (!space.isInnerReduced()) {
      int sums =
          body.isSum()
              ? local(ElementType.F64, ReducePlan.Extent.RESULTS, ArrayLocation.Role.LOCAL).slot()
              : -1;
      ReduceLoop one = ReduceLoops.rows(body, 1);
      return new ReduceStep(
          reduction,
          ReduceStep.ReductionOrder.ROWS,
          sources,
          locations,
          sums,
          severalRows(body),
          one,
          Optional.empty());
    }
    Optional<ReduceLoop> interleaved = interleaved(reduction);
    if (interleaved.isPresent()) {
      SingleOpReducer single = SingleOpReducer.of(reduction);
      Optional<ReduceLoop> several = severalInterleaved(single, sources.get(0));
      ReducePlan.Extent extent =
          several.isPresent()
              ? ReducePlan.Extent.ACCUMULATORS_OF_ROWS
              : ReducePlan.Extent.ACCUMULATORS;
      ArrayLocation row = local(single.wide(), extent, ArrayLocation.Role.LOCAL);
      return new ReduceStep(
          reduction,
          ReduceStep.ReductionOrder.INTERLEAVED,
          sources,
          locations,
          row.slot(),
          interleaved.get(),
          ReduceLoops.remainder(single),
          several);
    }
    int sum =
        body.isSum()
            ? local(ElementType.F64, ReducePlan.Extent.ACCUMULATORS, ArrayLocation.Role.LOCAL)
                .slot()
            : -1;
    ReduceLoop loop = ReduceLoops.inOrder(body);
    return new ReduceStep(
        reduction,
        ReduceStep.ReductionOrder.IN_ORDER,
        sources,
        locations,
        sum,
        loop,
        loop,
        Optional.empty());
  }

  /**
   * {@return the loop that interleaves several rows at once} Only rows that come from memory need
   * it: rows that a strip computed are in a near cache.
   */
  private static Optional<ReduceLoop> severalInterleaved(
      SingleOpReducer single, ArrayLocation source) {
    int rows = ReduceLoops.rowsAtOnce(single);
    return rows > 1 && source.role() == ArrayLocation.Role.READ
        ? Optional.of(ReduceLoops.interleaved(single, rows))
        : Optional.empty();
  }

  private static ReduceLoop severalRows(Reducer body) {
    try {
      return ReduceLoops.rows(body, ReduceLoops.ROWS);
    } catch (TooLargeException manyBytecodes) {
      return new RowByRow(ReduceLoops.rows(body, 1), body.count(), 0);
    }
  }

  private Optional<ReduceLoop> interleaved(Reduction reduction) {
    Reducer body = reduction.body();
    if (!body.isUnordered()
        || space.inner()
            < MIN_INTERLEAVED_ROUNDS * ReduceLoops.accumulators(SingleOpReducer.of(body))) {
      return Optional.empty();
    }
    try {
      return Optional.of(ReduceLoops.interleaved(SingleOpReducer.of(reduction)));
    } catch (TooLargeException manyBytecodes) {
      return Optional.empty();
    }
  }

  /**
   * {@return the loop that computes the values of each result that are known once a pass is over}
   */
  private Optional<Strip> resultStrip(int pass, List<ReduceNode> roots) {
    StripBuilder strip = new StripBuilder(space.inner(), this::keptLeaf);
    for (Map.Entry<ReduceNode, ArrayLocation> entry : kept.entrySet()) {
      ReduceNode node = entry.getKey();
      if (!(node instanceof ReduceNode.Reduced)
          && passAssignment.passCountBefore(node) == pass + 1) {
        strip.store(node, entry.getValue());
      }
    }
    for (int i = 0; i < roots.size(); i++) {
      ReduceNode root = roots.get(i);
      ArrayLocation location = ArrayLocation.of(output(i), ArrayLocation.Role.KEPT);
      if (!isFull(i)
          && passAssignment.passCountBefore(root) == pass + 1
          && !keptLocation(root).equals(location)) {
        strip.store(root, location);
      }
    }
    return strip.build("kept");
  }

  private Optional<StripBuilder.Source> keptLeaf(ReduceNode node) {
    int inner = space.isInnerReduced() ? space.kept().count() : space.inner();
    return switch (node) {
      case ReduceNode.Read read -> {
        ArrayLocation readLocation = place(read, inner);
        yield Optional.of(new StripBuilder.Source(readLocation, readLocation.stride() == 0));
      }
      case ReduceNode.Reduced reduced ->
          Optional.of(new StripBuilder.Source(keptLocation(reduced), false));
      case ReduceNode.Immediate immediate -> Optional.empty();
      case ReduceNode.Apply apply -> Optional.empty();
      case ReduceNode.BroadcastBack broadcast ->
          throw new AssertionError("a broadcast result where none is");
    };
  }
}
