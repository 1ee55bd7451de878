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
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.expr.Reducer;
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;
import org.hlo4j.interpreter.engine.KernelChoice;

/** The planner that assigns the values of a {@link RowProgram} to passes and to locations. */
final class ReducePlanner {
  /** Rows with at least this many rounds of accumulators are interleaved over several. */
  private static final int MIN_INTERLEAVED_ROUNDS = 4;

  private final RowProgram program;
  private final ReductionSpace space;
  private final ImmutableList<LoopNode> roots;
  private final ReduceArrays given;
  private final Passes passes;
  private final List<ReducePlan.Local> locals = new ArrayList<>();
  private final Map<LoopNode, ArrayLocation> kept = new LinkedHashMap<>();
  private final Map<LoopNode, ArrayLocation> saved = new LinkedHashMap<>();

  /** For each computed array that is read, the workspace of the elements of a strip. */
  private final Map<Integer, ArrayLocation> computed = new LinkedHashMap<>();

  /** The computed arrays that the current pass reads. */
  private final Set<Integer> computedReads = new LinkedHashSet<>();

  private int firstLocal;

  ReducePlanner(RowProgram program) {
    this.program = program;
    this.space = program.space();
    this.roots = program.roots();
    this.given = program.arrays();
    this.passes = new Passes(program, false);
  }

  /**
   * {@return the kernel of the program}
   *
   * @throws NoCodeException if there is none
   */
  KernelChoice kernel() {
    ReducePlan plan = plan();
    return KernelChoice.of(
        plan.space().isInnerReduced()
            ? new LongRowReduceKernel(plan)
            : new StridedReduceKernel(plan));
  }

  private ReducePlan plan() {
    firstLocal = output(roots.size()) + given.computed().size();
    placeKept();
    saveExpensive();
    Optional<Strip> prologue = resultStrip(-1);
    ImmutableList.Builder<ReducePass> all = ImmutableList.builder();
    for (int pass = 0; pass < passes.passCount; pass++) {
      all.add(pass(pass));
    }
    return new ReducePlan(
        space, program.operands(), given, ImmutableList.copyOf(locals), prologue, all.build());
  }

  private int output(int result) {
    return program.operands() + given.tables().size() + result;
  }

  private ArrayLocation local(ElementType type, ReducePlan.Extent extent, ArrayLocation.Role role) {
    locals.add(new ReducePlan.Local(type, extent));
    return ArrayLocation.of(firstLocal + locals.size() - 1, role);
  }

  /** Places the results of reductions that are outputs; the others get a workspace of the chunk. */
  private void placeKept() {
    for (int i = 0; i < roots.size(); i++) {
      if (!passes.isFull(i)) {
        kept.putIfAbsent(roots.get(i), ArrayLocation.of(output(i), ArrayLocation.Role.KEPT));
      }
    }
    passes.rowValues.forEach(node -> kept.computeIfAbsent(node, _ -> localOf(node.type())));
  }

  private ArrayLocation localOf(ElementType type) {
    return local(type, ReducePlan.Extent.RESULTS, ArrayLocation.Role.LOCAL);
  }

  /** {@return the locations of the results of a reduction, also of those that are not used} */
  private ImmutableList<ArrayLocation> results(Reduction reduction) {
    return IntStream.range(0, reduction.inputs().size())
        .mapToObj(output ->
            Optional.ofNullable(kept.get(new LoopNode.Reduced(reduction, output)))
                .orElseGet(() -> localOf(reduction.inputs().get(output).type())))
        .collect(ImmutableList.toImmutableList());
  }

  /** Places expensive values that a later pass needs again, so that they are saved until then. */
  private void saveExpensive() {
    Set<Integer> takenOutputs = new LinkedHashSet<>();
    passes.saveExpensive(node -> {
      saveSlot(node, takenOutputs).ifPresent(location -> saved.put(node, location));
      return saved.containsKey(node);
    });
  }

  private Optional<ArrayLocation> saveSlot(LoopNode node, Set<Integer> taken) {
    int result = roots.indexOf(node);
    if (result >= 0 && passes.isFull(result)) {
      return Optional.of(ArrayLocation.of(output(result), ArrayLocation.Role.FULL));
    }
    for (int i : passes.full(passes.passCount - 1)) {
      if (roots.get(i).type() == node.type() && taken.add(i)) {
        return Optional.of(ArrayLocation.of(output(i), ArrayLocation.Role.FULL));
      }
    }
    return space.isInnerReduced()
        ? Optional.of(local(node.type(), ReducePlan.Extent.POSITIONS, ArrayLocation.Role.SAVED))
        : Optional.empty();
  }

  /** {@return whether a reduction can read a value in place} */
  private boolean isDirect(LoopNode node) {
    return node instanceof LoopNode.Read read && place(read).stride() == 1;
  }

  private ArrayLocation place(LoopNode.Read read) {
    return read.input() < 0
        ? computed.computeIfAbsent(
            read.input(),
            _ -> local(read.type(), ReducePlan.Extent.STRIP, ArrayLocation.Role.WORKSPACE))
        : place(read, program.offsets(read), space.inner());
  }

  private static ArrayLocation place(LoopNode.Read read, Offsets offsets, int inner) {
    return ArrayLocation.of(read.input(), offsets, (int) read.position().base(), inner)
        .orElseThrow(() -> new NoCodeException("a view of several strides"));
  }

  private ReducePass pass(int pass) {
    computedReads.clear();
    Map<LoopNode, ArrayLocation> workspace = new HashMap<>();
    StripCode strip = new StripCode(space.inner(), node -> leaf(node, pass));
    saved.forEach((node, location) -> {
      if (passes.pass(node) == pass) {
        strip.store(node, location);
      }
    });
    for (int i : passes.full(pass)) {
      strip.store(roots.get(i), ArrayLocation.of(output(i), ArrayLocation.Role.FULL));
    }
    List<ReduceStep> steps = new ArrayList<>();
    for (Reduction reduction : passes.reductions(pass)) {
      ImmutableList.Builder<ArrayLocation> sources = ImmutableList.builder();
      for (LoopNode input : reduction.inputs()) {
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
      LoopNode input, Map<LoopNode, ArrayLocation> workspace, StripCode strip) {
    if (isDirect(input)) {
      addComputed((LoopNode.Read) input);
      return place((LoopNode.Read) input);
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
  private Optional<StripCode.Source> leaf(LoopNode node, int pass) {
    ArrayLocation location = saved.get(node);
    if (location != null && passes.pass(node) < pass) {
      return Optional.of(new StripCode.Source(location, false));
    }
    if (program.isOfRow(node)) {
      return Optional.of(new StripCode.Source(keptLocation(node), space.isInnerReduced()));
    } else if (node instanceof LoopNode.Read read) {
      addComputed(read);
      return Optional.of(source(place(read)));
    }
    return Optional.empty();
  }

  private static StripCode.Source source(ArrayLocation location) {
    return new StripCode.Source(location, location.stride() == 0);
  }

  private void addComputed(LoopNode.Read read) {
    if (read.input() < 0) {
      computedReads.add(read.input());
    }
  }

  private ArrayLocation keptLocation(LoopNode node) {
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
    StripCode strip = new StripCode(space.inner(), this::keptLeaf);
    for (Map.Entry<LoopNode, ArrayLocation> entry : kept.entrySet()) {
      LoopNode node = entry.getKey();
      if (!(node instanceof LoopNode.Reduced) && passes.passCountBefore(node) == pass + 1) {
        strip.store(node, entry.getValue());
      }
    }
    for (int i = 0; i < roots.size(); i++) {
      LoopNode root = roots.get(i);
      ArrayLocation location = ArrayLocation.of(output(i), ArrayLocation.Role.KEPT);
      if (!passes.isFull(i)
          && passes.passCountBefore(root) == pass + 1
          && !keptLocation(root).equals(location)) {
        strip.store(root, location);
      }
    }
    return strip.build("kept");
  }

  private Optional<StripCode.Source> keptLeaf(LoopNode node) {
    int inner = space.isInnerReduced() ? space.kept().count() : space.inner();
    return switch (node) {
      case LoopNode.Read read -> Optional.of(source(place(read, program.rowOffsets(read), inner)));
      case LoopNode.Reduced reduced ->
          Optional.of(new StripCode.Source(keptLocation(reduced), false));
      case LoopNode.Immediate _, LoopNode.Apply _, LoopNode.Count _ -> Optional.empty();
    };
  }
}
