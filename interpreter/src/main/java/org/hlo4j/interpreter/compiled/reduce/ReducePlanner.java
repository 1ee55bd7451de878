package org.hlo4j.interpreter.compiled.reduce;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
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
import org.hlo4j.interpreter.compiled.codegen.Machine;
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

  /** With this many elements or more, an array is in no near cache. */
  static final long MIN_FAR = 1 << 21;

  /** The number of elements in a strip of a contiguous row. */
  private static final int STRIP = 2048;

  /**
   * Rows with at least this many elements are processed one by one, unless several are interleaved.
   */
  private static final int BLOCK = 2048;

  /** The length of the longest rows of which several fit a near cache. */
  private static final int LONGEST_OF_SEVERAL = 16 * 1024;

  private static final int SHORTEST_STREAMED = 512;

  /** The number of elements in a part of a long row: a multiple of the number of accumulators. */
  private static final int PART = 64 * 1024;

  private static final int COLUMNS = 1024;

  /** The number of columns if some elements are computed, which is faster for whole rows. */
  private static final int COMPUTED_COLUMNS = 4096;

  /** Fewer blocks of columns than these are reduced in parts, if they have enough elements. */
  private static final int MIN_BLOCKS = 4;

  private static final long MIN_APART = 4 * Machine.GRAIN;

  /** The length of the longest rows that are read as parts of one. */
  private static final int MAX_DENSE = 128;

  /** The approximate number of elements that are read as one row. */
  private static final int MAX_AT_ONCE = 32 * 1024;

  /** The approximate number of elements that one strip computes for several rows. */
  private static final int MAX_STRIP = 4 * 1024;

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

  private final int depth;

  /** The number of columns that are reduced at once. */
  private final int columns;

  private int firstLocal;

  ReducePlanner(RowProgram program) {
    this.program = program;
    this.space = program.space();
    this.roots = program.roots();
    this.given = program.arrays();
    this.passes = new Passes(program, false);
    this.depth = Math.toIntExact(space.depth());
    this.columns = Math.min(given.computed().isEmpty() ? COLUMNS : COMPUTED_COLUMNS, space.inner());
  }

  /**
   * {@return the kernel of the program}
   *
   * @throws NoCodeException if there is none
   */
  KernelChoice kernel() {
    firstLocal = output(roots.size()) + given.computed().size();
    placeKept();
    saveExpensive();
    Optional<Strip> prologue = resultStrip(-1);
    List<ReducePass> all = IntStream.range(0, passes.passCount).mapToObj(this::pass).toList();
    List<ReducePass> scheduled = space.isInnerReduced() ? all : dense(all);
    boolean isOnePass = prologue.isEmpty() && all.size() == 1;
    return KernelChoice.of(
        new ReduceKernel(
            new ReducePlan(
                space,
                program.operands(),
                given,
                ImmutableList.copyOf(locals),
                prologue,
                ImmutableList.copyOf(scheduled),
                space.isInnerReduced()
                    ? ofRows(scheduled, isOnePass)
                    : ofColumns(scheduled, isOnePass))));
  }

  private boolean hasStrips() {
    return locals.stream().anyMatch(local -> local.extent() == ReducePlan.Extent.STRIP);
  }

  /**
   * {@return the schedule of contiguous rows} Several are reduced at once, unless several passes
   * run over long ones, so that a row stays in a near cache.
   */
  private ReducePlan.Schedule ofRows(List<ReducePass> all, boolean isOnePass) {
    boolean isInterleaved =
        isOnePass
            && all.get(0).accumulators().stream()
                .allMatch(InterleavedAccumulators.class::isInstance);
    boolean isApart = isInterleaved && depth >= 2 * PART;
    boolean isFar = all.size() > 1 && depth > LONGEST_OF_SEVERAL;
    int least =
        isApart || isFar || (isInterleaved && isStreamed(all.get(0)))
            ? 1
            : all.stream().mapToInt(ReducePass::rowsAtOnce).max().orElse(1);
    return new ReducePlan.Schedule(
        Math.clamp(BLOCK / depth, least, Math.max(least, space.kept().count())),
        1,
        Math.min(hasStrips() ? STRIP : PART, space.inner()),
        isApart ? PART : Integer.MAX_VALUE,
        isApart);
  }

  /** {@return whether long rows are read from memory, which delivers them faster one by one} */
  private boolean isStreamed(ReducePass pass) {
    return !hasStrips()
        && depth >= SHORTEST_STREAMED
        && (long) space.kept().count() * depth >= MIN_FAR
        && pass.accumulators().stream()
            .allMatch(each -> each.reduction.body().type().bits() <= Integer.SIZE);
  }

  /** {@return the schedule of columns} */
  private ReducePlan.Schedule ofColumns(List<ReducePass> all, boolean isOnePass) {
    List<ColumnAccumulators> accumulators =
        all.stream()
            .flatMap(pass -> pass.accumulators().stream())
            .map(ColumnAccumulators.class::cast)
            .toList();
    int part =
        accumulators.stream()
            .mapToInt(each -> each.order().part())
            .min()
            .orElse(SummationOrder.IN_ORDER.part());
    boolean isApart =
        isOnePass
            && part < depth
            && (long) depth * columns >= MIN_APART
            && space.kept().count() * Math.ceilDiv(space.inner(), columns) < MIN_BLOCKS
            && accumulators.stream().allMatch(each -> each.reduction.body().isUnordered());
    int rows = all.stream().mapToInt(ReducePass::rowsAtOnce).reduce(group(), Math::max);
    return new ReducePlan.Schedule(columns, group(), rows * columns, part, isApart);
  }

  /** {@return the number of rows that are reduced at once into a row of columns} */
  private int group() {
    return (hasStrips() ? ColumnAccumulators.FEW : ReduceLoops.ROWS) * ReduceLoops.ROWS;
  }

  /** {@return passes, of which those that only sum short rows in a sequence read them as one} */
  private List<ReducePass> dense(List<ReducePass> all) {
    int most = (hasStrips() ? MAX_STRIP : MAX_AT_ONCE) / columns;
    int rows = Math.max(1, most / group()) * group();
    return all.stream().map(pass -> isDense(pass) ? pass.withRowsAtOnce(rows) : pass).toList();
  }

  private boolean isDense(ReducePass pass) {
    return space.reduced().strides().equals(ImmutableIntArray.of(space.inner()))
        && space.inner() <= MAX_DENSE
        && pass.accumulators().stream().allMatch(this::isDense)
        && pass.strip().stream().allMatch(Strip::canMergeRows)
        && pass.reads().isEmpty();
  }

  private boolean isDense(Accumulators each) {
    ArrayLocation source = each.sources.get(0);
    return ((ColumnAccumulators) each).order().isInterleaved()
        && source.stride() == 1
        && source.isContiguousAcrossRows(space.inner());
  }

  private int output(int result) {
    return program.operands() + given.tables().size() + result;
  }

  private ArrayLocation local(ElementType type, ReducePlan.Extent extent, ArrayLocation.Role role) {
    return ArrayLocation.of(local(type, extent, 1), role);
  }

  private int local(ElementType type, ReducePlan.Extent extent, int factor) {
    locals.add(new ReducePlan.Local(type, extent, factor));
    return firstLocal + locals.size() - 1;
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
    ImmutableList.Builder<Accumulators> accumulators = ImmutableList.builder();
    for (Reduction reduction : passes.reductions(pass)) {
      ImmutableList.Builder<ArrayLocation> sources = ImmutableList.builder();
      for (LoopNode input : reduction.inputs()) {
        sources.add(source(input, workspace, strip));
      }
      accumulators.add(accumulators(reduction, sources.build()));
    }
    Optional<Strip> loop = strip.build("strip");
    ImmutableList<ReducePass.ComputedRead> reads =
        computedReads.stream()
            .map(input ->
                new ReducePass.ComputedRead(
                    firstLocal - given.computed().size() - 1 - input,
                    requireNonNull(computed.get(input)).slot()))
            .collect(ImmutableList.toImmutableList());
    ImmutableList<Accumulators> all = accumulators.build();
    int rowsAtOnce = all.stream().mapToInt(Accumulators::rowsAtOnce).min().orElse(1);
    return new ReducePass(reads, loop, all, resultStrip(pass), loop.isPresent() ? 1 : rowsAtOnce);
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

  private Accumulators accumulators(Reduction reduction, ImmutableList<ArrayLocation> sources) {
    Reducer body = reduction.body();
    boolean isAlong = space.isInnerReduced();
    if (isAlong && isInterleaved(body, space.inner()) && hasInterleavedLoop(reduction)) {
      SingleOpReducer single = SingleOpReducer.of(reduction);
      // Only rows that come from memory: rows that a strip computed are in a near cache.
      boolean isRead = sources.get(0).role() == ArrayLocation.Role.READ;
      int rows = isRead ? ReduceLoops.rowsAtOnce(single) : 1;
      int accumulators = rows * ReduceLoops.accumulators(single);
      return new InterleavedAccumulators(
          reduction,
          sources,
          results(reduction),
          local(single.wide(), ReducePlan.Extent.ONE, accumulators),
          rows);
    }
    SummationOrder order =
        isAlong ? SummationOrder.IN_ORDER : SummationOrder.across(body, space.depth());
    int slot =
        body.isSum()
            ? local(ElementType.F64, ReducePlan.Extent.RESULTS, order.accumulators() + 1)
            : -1;
    return new ColumnAccumulators(
        reduction, sources, results(reduction), slot, order, isAlong ? 0 : columns);
  }

  private static boolean hasInterleavedLoop(Reduction reduction) {
    try {
      ReduceLoops.interleaved(SingleOpReducer.of(reduction), 1);
      return true;
    } catch (TooLargeException manyBytecodes) {
      return false;
    }
  }

  /** {@return whether long rows are interleaved over accumulators} */
  static boolean isInterleaved(Reducer body, int length) {
    return body.isUnordered()
        && length >= MIN_INTERLEAVED_ROUNDS * ReduceLoops.accumulators(SingleOpReducer.of(body));
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
      case LoopNode.Read read when read.input() < 0 ->
          throw new NoCodeException("values of rows that are moved");
      case LoopNode.Read read -> Optional.of(source(place(read, program.rowOffsets(read), inner)));
      case LoopNode.Reduced reduced ->
          Optional.of(new StripCode.Source(keptLocation(reduced), false));
      case LoopNode.Immediate _, LoopNode.Apply _, LoopNode.Count _ -> Optional.empty();
    };
  }
}
