package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.compiled.loops.LoopNode;
import org.hlo4j.interpreter.compiled.loops.Reduction;

/**
 * The planner of columns, and of rows whose elements are reduced in order: of a {@link RowProgram}
 * in a single pass, whose results are those of reductions. What is not read in place is computed by
 * loops, a strip at a time.
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

  /** The approximate number of elements that are computed for several rows at once. */
  private static final int MAX_STRIP = 4 * 1024;

  private final RowProgram program;
  private final ReductionSpace space;
  private final List<ReducePlan.Source> sources = new ArrayList<>();
  private final List<ComputedArray> computed = new ArrayList<>();

  ReducePlanner(RowProgram program) {
    this.program = program;
    this.space = program.space();
  }

  /**
   * {@return the plan of the program}
   *
   * @throws NoCodeException if there is none
   */
  ReducePlan plan() {
    Passes passes = new Passes(program, false);
    if (!program.roots().stream().allMatch(LoopNode.Reduced.class::isInstance)
        || passes.passCount > 1) {
      throw new NoCodeException("results that are computed from what is reduced");
    }
    passes.reads.forEach((read, isOfElement) -> {
      if (isOfElement && stride(read) > 1) {
        throw severalStrides();
      }
    });
    ImmutableList<ReducePlan.Ordered> reductions =
        passes.reductions.stream().map(this::ordered).collect(ImmutableList.toImmutableList());
    if (space.isInnerReduced() && space.reduced().count() > 1 && !computed.isEmpty()) {
      throw new NoCodeException("rows in order of several pieces that are computed");
    }
    if (space.isInnerReduced()
        && space.inner() > LONGEST
        && passes.reductions.stream().anyMatch(reduction -> reduction.body().isUnordered())) {
      throw new NoCodeException("rows of " + space.inner() + " in order, want at most " + LONGEST);
    }
    return new ReducePlan(
        space,
        program.arrays().computing(computed),
        ImmutableList.copyOf(sources),
        reductions,
        program.roots(),
        space.isInnerReduced() ? ofRows() : ofColumns(reductions));
  }

  /** {@return the schedule of rows, one after the other} */
  private ReducePlan.Schedule ofRows() {
    long strip =
        computed.isEmpty()
            ? Math.min(MAX_IN_ORDER, space.inner())
            : Math.min(STRIP, (long) space.results() * space.inner());
    return new ReducePlan.Schedule(1, 1, 0, (int) strip, Integer.MAX_VALUE, false);
  }

  /** {@return the schedule of columns} */
  private ReducePlan.Schedule ofColumns(ImmutableList<ReducePlan.Ordered> reductions) {
    int columns = Math.min(mostColumns(), space.inner());
    long depth = space.depth();
    int part = reductions.stream().mapToInt(each -> each.order().part()).min().orElseThrow();
    boolean isApart =
        part < depth
            && depth * columns >= MIN_APART
            && space.kept().count() * Math.ceilDiv(space.inner(), columns) < MIN_BLOCKS
            && reductions.stream().allMatch(each -> each.reduction().body().isUnordered());
    boolean isInterleaved = reductions.stream().anyMatch(each -> each.order().isInterleaved());
    int rounds = computed.isEmpty() ? ReduceLoops.ROWS : isInterleaved ? Accumulators.FEW : 1;
    int group = rounds * ReduceLoops.ROWS;
    int most = (computed.isEmpty() ? MAX_AT_ONCE : MAX_STRIP) / columns;
    int dense = isDense(reductions) ? Math.max(1, most / group) * group : 0;
    int strip = (int) Math.min(Math.max(group, dense), depth) * columns;
    return new ReducePlan.Schedule(columns, group, dense, strip, part, isApart);
  }

  /**
   * {@return the most columns of a block: fewer where there would be too few blocks for all
   * threads}
   */
  private int mostColumns() {
    int blocks = space.kept().count() * Math.ceilDiv(space.inner(), COMPUTED_COLUMNS);
    boolean isShared = blocks < MIN_BLOCKS && space.results() * space.depth() >= MIN_APART;
    return computed.isEmpty() || isShared ? COLUMNS : COMPUTED_COLUMNS;
  }

  /** {@return whether short rows that only are summed follow each other, so that they are one} */
  private boolean isDense(ImmutableList<ReducePlan.Ordered> reductions) {
    return space.reduced().strides().equals(ImmutableIntArray.of(space.inner()))
        && space.inner() <= MAX_DENSE
        && reductions.stream().allMatch(each -> each.order().isInterleaved())
        && sources.stream().allMatch(source -> source.isDense(space.inner()));
  }

  /** {@return the stride of the elements of a row of innermost positions} */
  private int stride(LoopNode.Read read) {
    return program
        .offsets(read)
        .strideWithin(space.inner())
        .orElseThrow(ReducePlanner::severalStrides);
  }

  private static NoCodeException severalStrides() {
    return new NoCodeException("a view of several strides");
  }

  /** {@return the number of the source of an input: a value in place, or one that is computed} */
  private int source(LoopNode input) {
    ReducePlan.Source source =
        input instanceof LoopNode.Read read
                && read.input() >= 0
                && (stride(read) == 1 || space.inner() == 1)
            ? new ReducePlan.Source(
                read.input(),
                read.type(),
                (int) read.position().base(),
                program.offsets(read).each(space.inner()))
            : computed(input);
    if (!sources.contains(source)) {
      sources.add(source);
    }
    return sources.indexOf(source);
  }

  private ReducePlan.Source computed(LoopNode input) {
    ComputedArray array =
        program
            .computing()
            .apply(input)
            .orElseThrow(() -> new NoCodeException("elements that no loops compute"));
    if (!computed.contains(array)) {
      computed.add(array);
    }
    int number = -1 - computed.indexOf(array);
    return new ReducePlan.Source(number, input.type(), 0, Offsets.of(List.of(), List.of()));
  }

  private ReducePlan.Ordered ordered(Reduction reduction) {
    return new ReducePlan.Ordered(
        reduction,
        reduction.inputs().stream().map(this::source).collect(ImmutableList.toImmutableList()),
        space.isInnerReduced()
            ? SummationOrder.IN_ORDER
            : SummationOrder.across(reduction.body(), space.depth()));
  }
}
