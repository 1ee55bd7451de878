package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.expr.Reducer;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * The planner of columns, and of rows whose elements are reduced in order: of a {@link RowProgram}
 * in a single pass, whose results are those of reductions.
 */
final class ReducePlanner {
  /** The number of elements in a strip of a contiguous row that are computed. */
  private static final int STRIP = 2048;

  /** The number of elements of a row that are reduced at once, if none is computed. */
  private static final int MAX_IN_ORDER = 64 * 1024;

  /** The length of the longest rows that are reduced in order if any order will do. */
  private static final int LONGEST = 127;

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
  private final List<ReducePlan.Local> locals = new ArrayList<>();

  /** For each computed array that is read, the workspace of the elements of a strip. */
  private final Map<Integer, ArrayLocation> computed = new LinkedHashMap<>();

  /** The number of columns that are reduced at once; 1 for rows. */
  private final int columns;

  private final int firstLocal;

  ReducePlanner(RowProgram program) {
    this.program = program;
    this.space = program.space();
    this.roots = program.roots();
    this.given = program.arrays();
    this.columns =
        space.isInnerReduced()
            ? 1
            : Math.min(given.computed().isEmpty() ? COLUMNS : COMPUTED_COLUMNS, space.inner());
    this.firstLocal = output(roots.size()) + given.computed().size();
  }

  /**
   * {@return the kernel of the program}
   *
   * @throws NoCodeException if there is none
   */
  KernelChoice kernel() {
    if (!roots.stream().allMatch(LoopNode.Reduced.class::isInstance)
        || new Passes(program, false).passCount > 1) {
      throw new NoCodeException("results that are computed from what is reduced");
    }
    Map<LoopNode, ArrayLocation> workspace = new HashMap<>();
    StripCode strip = new StripCode(space.inner(), this::leaf);
    ImmutableList.Builder<Accumulators> reductions = ImmutableList.builder();
    roots.stream()
        .map(root -> ((LoopNode.Reduced) root).reduction())
        .distinct()
        .forEach(reduction ->
            reductions.add(
                accumulators(
                    reduction,
                    reduction.inputs().stream()
                        .map(input -> source(input, workspace, strip))
                        .collect(ImmutableList.toImmutableList()))));
    Optional<Strip> loop = strip.build("strip");
    ImmutableList<Accumulators> accumulators = reductions.build();
    ImmutableList<ReducePlan.ComputedRead> reads =
        computed.entrySet().stream()
            .map(read ->
                new ReducePlan.ComputedRead(
                    firstLocal - given.computed().size() - 1 - read.getKey(),
                    read.getValue().slot()))
            .collect(ImmutableList.toImmutableList());
    return KernelChoice.of(
        new ReduceKernel(
            new ReducePlan(
                space,
                program.operands(),
                given,
                ImmutableList.copyOf(locals),
                reads,
                loop,
                accumulators,
                space.isInnerReduced() ? ofRows() : ofColumns(accumulators, loop))));
  }

  private boolean hasStrips() {
    return locals.stream().anyMatch(ReducePlan.Local::isOfStrip);
  }

  /** {@return the schedule of rows, one after the other} */
  private ReducePlan.Schedule ofRows() {
    int strip = Math.min(hasStrips() ? STRIP : MAX_IN_ORDER, space.inner());
    return new ReducePlan.Schedule(1, 1, 0, strip, Integer.MAX_VALUE, false);
  }

  /** {@return the schedule of columns} */
  private ReducePlan.Schedule ofColumns(
      ImmutableList<Accumulators> accumulators, Optional<Strip> strip) {
    long depth = space.depth();
    int part = accumulators.stream().mapToInt(each -> each.order().part()).min().orElseThrow();
    boolean isApart =
        part < depth
            && depth * columns >= MIN_APART
            && space.kept().count() * Math.ceilDiv(space.inner(), columns) < MIN_BLOCKS
            && accumulators.stream().allMatch(each -> each.reduction().body().isUnordered());
    int most = (hasStrips() ? MAX_STRIP : MAX_AT_ONCE) / columns;
    int dense = isDense(accumulators, strip) ? Math.max(1, most / group()) * group() : 0;
    int rows = Math.max(group(), dense);
    return new ReducePlan.Schedule(columns, group(), dense, rows * columns, part, isApart);
  }

  /** {@return the number of rows that are reduced at once into a row of columns} */
  private int group() {
    return (hasStrips() ? Accumulators.FEW : ReduceLoops.ROWS) * ReduceLoops.ROWS;
  }

  /** {@return whether short rows that only are summed follow each other, so that they are one} */
  private boolean isDense(ImmutableList<Accumulators> accumulators, Optional<Strip> strip) {
    return space.reduced().strides().equals(ImmutableIntArray.of(space.inner()))
        && space.inner() <= MAX_DENSE
        && accumulators.stream().allMatch(each -> each.isDense(space.inner()))
        && strip.stream().allMatch(Strip::canMergeRows)
        && computed.isEmpty();
  }

  private int output(int result) {
    return program.operands() + given.tables().size() + result;
  }

  private int local(ElementType type, boolean isOfStrip, int factor) {
    locals.add(new ReducePlan.Local(type, isOfStrip, factor));
    return firstLocal + locals.size() - 1;
  }

  private ArrayLocation stripOf(ElementType type) {
    return ArrayLocation.of(local(type, true, 1), ArrayLocation.Role.WORKSPACE);
  }

  /** {@return the locations of the results of a reduction, also of those that are not used} */
  private ImmutableList<ArrayLocation> results(Reduction reduction) {
    return IntStream.range(0, reduction.inputs().size())
        .mapToObj(number -> {
          int root = roots.indexOf(new LoopNode.Reduced(reduction, number));
          return root >= 0
              ? ArrayLocation.of(output(root), ArrayLocation.Role.RESULT)
              : ArrayLocation.of(
                  local(reduction.inputs().get(number).type(), false, 1), ArrayLocation.Role.LOCAL);
        })
        .collect(ImmutableList.toImmutableList());
  }

  private ArrayLocation place(LoopNode.Read read) {
    return read.input() < 0
        ? computed.computeIfAbsent(read.input(), _ -> stripOf(read.type()))
        : ArrayLocation.of(
                read.input(), program.offsets(read), (int) read.position().base(), space.inner())
            .orElseThrow(() -> new NoCodeException("a view of several strides"));
  }

  /** {@return what a reduction reads: a value in place, or one that a strip computes} */
  private ArrayLocation source(
      LoopNode input, Map<LoopNode, ArrayLocation> workspace, StripCode strip) {
    if (input instanceof LoopNode.Read read && place(read).stride() == 1) {
      return place(read);
    }
    ArrayLocation known = workspace.get(input);
    if (known == null) {
      known = stripOf(input.type());
      strip.store(input, known);
      workspace.put(input, known);
    }
    return known;
  }

  /** {@return what a strip reads for a node; empty if the node is to be computed} */
  private Optional<StripCode.Source> leaf(LoopNode node) {
    return node instanceof LoopNode.Read read
        ? Optional.of(new StripCode.Source(place(read), place(read).stride() == 0))
        : Optional.empty();
  }

  private Accumulators accumulators(Reduction reduction, ImmutableList<ArrayLocation> sources) {
    Reducer body = reduction.body();
    if (space.isInnerReduced() && body.isUnordered() && space.inner() > LONGEST) {
      throw new NoCodeException("rows of " + space.inner() + " in order, want at most " + LONGEST);
    }
    SummationOrder order =
        space.isInnerReduced()
            ? SummationOrder.IN_ORDER
            : SummationOrder.across(body, space.depth());
    int slot = body.isSum() ? local(ElementType.F64, false, order.accumulators() + 1) : -1;
    return new Accumulators(
        reduction, sources, results(reduction), slot, order, space.isInnerReduced() ? 0 : columns);
  }
}
