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
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.engine.KernelChoice;

/** The planner that assigns the values of a {@link ReduceGraph} to passes and to locations. */
final class ReducePlanner {
  /** Rows with at least this many rounds of accumulators are interleaved over several. */
  private static final int MIN_INTERLEAVED_ROUNDS = 4;

  private final ReductionSpace space;
  private final int operands;
  private final List<ReduceNode> roots;
  private final List<Boolean> isFull;
  private final ReduceArrays given;
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

  /**
   * Creates a planner.
   *
   * @param graph the graph
   * @param roots its results
   * @param isFull for each result, whether it has an element for each position that is reduced
   * @param given the arrays beside the operands
   */
  ReducePlanner(
      ReduceGraph graph, List<ReduceNode> roots, List<Boolean> isFull, ReduceArrays given) {
    this.space = graph.collapsed();
    this.operands = graph.operandCount();
    this.roots = roots;
    this.isFull = isFull;
    this.given = given;
  }

  /** {@return the kernel of the graph, or a decline} */
  KernelChoice kernel() {
    ReducePlan plan = plan();
    if (obstacle.isMet()) {
      return KernelChoice.decline(obstacle.reason());
    }
    return KernelChoice.of(
        plan.space().isInnerReduced()
            ? new LongRowReduceKernel(plan)
            : new StridedReduceKernel(plan));
  }

  private ReducePlan plan() {
    firstLocal = output(roots.size()) + given.computed().size();
    Set<ReduceNode> needed = new LinkedHashSet<>();
    roots.forEach(root -> passAssignment.collect(root, needed));
    placeKept(needed);
    int last = needed.stream().mapToInt(passAssignment::pass).max().orElse(0);
    saveExpensive(needed, last);
    Optional<Strip> prologue = resultStrip(-1);
    ImmutableList.Builder<ReducePass> passes = ImmutableList.builder();
    for (int pass = 0; pass <= last; pass++) {
      passes.add(pass(pass, needed));
    }
    return new ReducePlan(
        space, operands, given, ImmutableList.copyOf(locals), prologue, passes.build());
  }

  private int output(int result) {
    return operands + given.tables().size() + result;
  }

  private ArrayLocation local(ElementType type, ReducePlan.Extent extent, ArrayLocation.Role role) {
    locals.add(new ReducePlan.Local(type, extent));
    return ArrayLocation.of(firstLocal + locals.size() - 1, role);
  }

  /** {@return the results with an element for each position that a pass computes} */
  private List<Integer> full(int pass) {
    return IntStream.range(0, roots.size())
        .filter(i -> isFull.get(i) && passAssignment.pass(roots.get(i)) == pass)
        .boxed()
        .toList();
  }

  /** Places the results of reductions that are outputs; the others get a workspace of the chunk. */
  private void placeKept(Set<ReduceNode> needed) {
    for (int i = 0; i < roots.size(); i++) {
      if (!isFull.get(i)) {
        kept.putIfAbsent(roots.get(i), ArrayLocation.of(output(i), ArrayLocation.Role.KEPT));
      }
    }
    for (ReduceNode node : needed) {
      if (node instanceof ReduceNode.BroadcastBack broadcast) {
        placeKept(broadcast.kept);
      } else if (node instanceof ReduceNode.Reduced) {
        placeKept(node);
      }
    }
  }

  private void placeKept(ReduceNode node) {
    if (!kept.containsKey(node)) {
      kept.put(node, local(node.type(), ReducePlan.Extent.RESULTS, ArrayLocation.Role.LOCAL));
    }
  }

  /** {@return the locations of the results of a reduction, also of those that are not used} */
  private ImmutableList<ArrayLocation> results(Reduction reduction) {
    return IntStream.range(0, reduction.inputs().size())
        .mapToObj(output ->
            kept.entrySet().stream()
                .filter(entry -> isOutput(entry.getKey(), reduction, output))
                .findFirst()
                .map(Map.Entry::getValue)
                .orElseGet(() ->
                    local(
                        reduction.inputs().get(output).type(),
                        ReducePlan.Extent.RESULTS,
                        ArrayLocation.Role.LOCAL)))
        .collect(ImmutableList.toImmutableList());
  }

  private static boolean isOutput(ReduceNode node, Reduction reduction, int output) {
    return node instanceof ReduceNode.Reduced reduced
        && reduced.reduction.equals(reduction)
        && reduced.output == output;
  }

  /** Places expensive values that a later pass needs again, so that they are saved until then. */
  private void saveExpensive(Set<ReduceNode> needed, int last) {
    Set<Integer> takenOutputs = new LinkedHashSet<>();
    for (int pass = 1; pass <= last; pass++) {
      for (ReduceNode node : passAssignment.expensive(fullRoots(pass, needed), pass)) {
        if (!saved.containsKey(node)) {
          saveSlot(node, last, takenOutputs).ifPresent(location -> saved.put(node, location));
        }
      }
    }
  }

  private Optional<ArrayLocation> saveSlot(ReduceNode node, int last, Set<Integer> taken) {
    int result = roots.indexOf(node);
    if (result >= 0 && isFull.get(result)) {
      return Optional.of(ArrayLocation.of(output(result), ArrayLocation.Role.FULL));
    }
    for (int i : full(last)) {
      if (roots.get(i).type() == node.type() && taken.add(i)) {
        return Optional.of(ArrayLocation.of(output(i), ArrayLocation.Role.FULL));
      }
    }
    return space.isInnerReduced()
        ? Optional.of(local(node.type(), ReducePlan.Extent.POSITIONS, ArrayLocation.Role.SAVED))
        : Optional.empty();
  }

  /** {@return what a pass has to compute for each position, except for saved values} */
  private Set<ReduceNode> fullRoots(int pass, Set<ReduceNode> needed) {
    Set<ReduceNode> found = new LinkedHashSet<>();
    for (Reduction reduction : reductions(pass, needed)) {
      reduction.inputs().stream().filter(input -> !isDirect(input)).forEach(found::add);
    }
    full(pass).forEach(i -> found.add(roots.get(i)));
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

  private ReducePass pass(int pass, Set<ReduceNode> needed) {
    computedReads.clear();
    Map<ReduceNode, ArrayLocation> workspace = new HashMap<>();
    StripBuilder strip = new StripBuilder(space.inner(), node -> leaf(node, pass));
    saved.forEach((node, location) -> {
      if (passAssignment.pass(node) == pass) {
        strip.store(node, location);
      }
    });
    for (int i : full(pass)) {
      strip.store(roots.get(i), ArrayLocation.of(output(i), ArrayLocation.Role.FULL));
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
                    firstLocal - given.computed().size() - 1 - input,
                    requireNonNull(computed.get(input)).slot()))
            .collect(ImmutableList.toImmutableList());
    return new ReducePass(reads, loop, ImmutableList.copyOf(steps), resultStrip(pass));
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
      case ReduceNode.Immediate _, ReduceNode.Apply _ -> Optional.empty();
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
    Optional<ReduceLoop> interleaved = interleaved(reduction);
    if (interleaved.isPresent()) {
      SingleOpReducer single = SingleOpReducer.of(reduction);
      Optional<ReduceLoop> several = severalInterleaved(single, sources.get(0));
      ReducePlan.Extent extent =
          several.isPresent()
              ? ReducePlan.Extent.ACCUMULATORS_OF_ROWS
              : ReducePlan.Extent.ACCUMULATORS;
      return new ReduceStep(
          reduction,
          true,
          sources,
          results(reduction),
          local(single.wide(), extent, ArrayLocation.Role.LOCAL).slot(),
          interleaved.get(),
          ReduceLoops.remainder(single),
          several,
          Optional.empty());
    }
    Reducer body = reduction.body();
    boolean isAlong = space.isInnerReduced();
    ReducePlan.Extent extent = isAlong ? ReducePlan.Extent.ACCUMULATORS : ReducePlan.Extent.RESULTS;
    ReduceLoop one = isAlong ? ReduceLoops.inOrder(body) : ReduceLoops.rows(body, 1);
    SummationOrder order = SummationOrder.across(body, isAlong ? 1 : space.depth());
    return new ReduceStep(
        reduction,
        false,
        sources,
        results(reduction),
        body.isSum() ? local(ElementType.F64, extent, ArrayLocation.Role.LOCAL).slot() : -1,
        isAlong ? one : severalRows(body, ReduceLoops.ROWS),
        one,
        order.isInterleaved()
            ? Optional.of(severalRows(body, ColumnAccumulators.FEW))
            : Optional.empty(),
        order.isInterleaved() ? dense(body, order) : Optional.empty());
  }

  /** {@return the loop over rows that are so short that all accumulators fit the registers} */
  private Optional<ReduceLoop> dense(Reducer body, SummationOrder order) {
    int accumulators = order.accumulators() * space.inner();
    return accumulators <= ReduceLoops.MAX_ACCUMULATORS
        ? Optional.of(ReduceLoops.rounds(SingleOpReducer.of(body), accumulators))
        : Optional.empty();
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

  private static ReduceLoop severalRows(Reducer body, int rows) {
    try {
      return ReduceLoops.rows(body, rows);
    } catch (TooLargeException manyBytecodes) {
      return new RowByRow(ReduceLoops.rows(body, 1), body.count(), 0);
    }
  }

  /** {@return whether long rows are interleaved over accumulators} */
  static boolean isInterleaved(Reducer body, int length) {
    return body.isUnordered()
        && length >= MIN_INTERLEAVED_ROUNDS * ReduceLoops.accumulators(SingleOpReducer.of(body));
  }

  private Optional<ReduceLoop> interleaved(Reduction reduction) {
    if (!space.isInnerReduced() || !isInterleaved(reduction.body(), space.inner())) {
      return Optional.empty();
    }
    try {
      return Optional.of(ReduceLoops.interleaved(SingleOpReducer.of(reduction), 1));
    } catch (TooLargeException manyBytecodes) {
      return Optional.empty();
    }
  }

  /**
   * {@return the loop that computes the values of each result that are known once a pass is over}
   */
  private Optional<Strip> resultStrip(int pass) {
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
      if (!isFull.get(i)
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
      case ReduceNode.Immediate _, ReduceNode.Apply _ -> Optional.empty();
      case ReduceNode.BroadcastBack broadcast ->
          throw new AssertionError("a broadcast result where none is");
    };
  }
}
