package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.Ints;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.IntStream;
import org.hlo4j.interpreter.compiled.arrays.BoundKernel;
import org.hlo4j.interpreter.compiled.arrays.StripArrays;
import org.hlo4j.interpreter.compiled.arrays.StripArrays.StripArray;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.compiled.index.AffineIndex;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.jspecify.annotations.Nullable;

/**
 * A region of the outputs, ready to run: a loop nest around the generated code of its stages. The
 * iteration space is cut into chunks that the threads share.
 */
final class CompiledLoopNest {
  private static final StripArrays WORKSPACE = new StripArrays();

  /** The maximum weight of a stage. C2 does not vectorize the scalar form of heavier loops. */
  static final int STAGE_WEIGHT = Machine.isVectorApiOn() ? 60 : 40;

  private static final int MAX_SMALL_ELEMENTS = 256;
  private static final int SMALL_STAGE_WEIGHT = 400;
  private static final int MIN_CHUNK = 1 << 12;
  private static final int CHUNK_WEIGHT = 1 << 20;

  /** The size of a block in which each cache line is read once, if columns are read. */
  private static final int BLOCK_ROWS = 16;

  private static final int BLOCK_COLUMNS = 32;

  private final LoopNest nest;
  private final DynamicStarts starts;
  private final StageLoop[] stages;
  private final StripArray[] workspace;
  private final int firstWorkspace;
  private final int chunk;
  private final int inner;
  private final long rows;
  private final boolean isBlocked;
  private final boolean isShifted;
  private final AffineIndex position;

  /** The bases of the only stage, if one call of it computes the whole region; otherwise null. */
  private final long @Nullable [] bases;

  CompiledLoopNest(OutputRegion part, int inputs) {
    this(part, inputs, new LoopNest(part));
  }

  /** Returns a nest that keeps the innermost loop of the region. */
  static CompiledLoopNest ofRows(OutputRegion part, int inputs) {
    return new CompiledLoopNest(part, inputs, LoopNest.ofRows(part));
  }

  private CompiledLoopNest(OutputRegion part, int inputs, LoopNest nest) {
    this.nest = nest;
    starts = new DynamicStarts(part.starts(), inputs);
    firstWorkspace = inputs + part.outputs();
    isShifted = part.isShifted();
    position = nest.position(part.domain().position());
    inner = Ints.checkedCast(nest.innerCount());
    rows = nest.rows();
    boolean isSmall = part.domain().elements() <= MAX_SMALL_ELEMENTS;
    int limit = isSmall ? SMALL_STAGE_WEIGHT : STAGE_WEIGHT;
    ImmutableList<StageCode> codes = compiled(part, inputs, limit);
    stages = codes.stream().map(StageLoop::new).toArray(StageLoop[]::new);
    workspace = codes.get(0).workspace().toArray(StripArray[]::new);
    int weight = codes.stream().mapToInt(code -> code.weight()).sum();
    int about = Integer.highestOneBit(CHUNK_WEIGHT / Math.max(1, weight));
    chunk = Ints.constrainToRange(about, MIN_CHUNK, Machine.GRAIN);
    isBlocked = stages.length == 1 && rows >= BLOCK_ROWS && stages[0].readsColumns();
    bases = isOneCall() && starts.count() == 0 && !isShifted ? startBases() : null;
  }

  /** Returns whether one call of one stage computes the whole region, once its bases are known. */
  private boolean isOneCall() {
    boolean isPlain = stages.length == 1 && nest.loops() <= 2 && workspace.length == 0;
    return isPlain && !isBlocked && (rows == 1 ? inner < 2 * chunk : rows * inner <= chunk);
  }

  /** Returns whether one call computes the whole region, and vectors do most of it. */
  boolean isShort() {
    return isOneCall() && stages[0].hasVectors(inner);
  }

  /**
   * Returns a routine that computes the whole region, to be run repeatedly. The nest has to be
   * {@link #isShort short}.
   */
  BoundKernel bind(Object[] arrays, KernelContext context) {
    StageLoop stage = stages[0];
    if (bases != null) {
      return () -> stage.run(arrays, bases, (int) rows, 0, inner);
    }
    long[] counters = new long[nest.loops() + starts.count()];
    long[] moved = stage.newBases();
    return () -> {
      starts.set(counters, nest.loops(), arrays, context);
      stage.setBases(moved, counters);
      stage.run(arrays, moved, (int) rows, 0, inner);
    };
  }

  private long[] startBases() {
    long[] start = stages[0].newBases();
    stages[0].setBases(start, new long[nest.loops()]);
    return start;
  }

  /** Returns the code of the stages. Stages whose method is too long are cut into shorter ones. */
  private ImmutableList<StageCode> compiled(OutputRegion part, int inputs, int limit) {
    ImmutableList<Stage> cut = FissionStages.of(part, nest, limit);
    ImmutableList<StripArray> arrays =
        StageCode.canUseOutputAsWorkspace(cut, part)
            ? ImmutableList.of()
            : cut.stream()
                .flatMap(stage -> stage.saves().values().stream())
                .distinct()
                .collect(ImmutableList.toImmutableList());
    ImmutableList<StageCode> codes =
        cut.stream()
            .map(stage -> new StageCode(stage, part, nest, inputs, arrays))
            .collect(ImmutableList.toImmutableList());
    try {
      codes.forEach(LoopMethods::of);
      return codes;
    } catch (TooLargeException tooLarge) {
      if (limit == 1) {
        throw tooLarge;
      }
      return compiled(part, inputs, limit > STAGE_WEIGHT ? STAGE_WEIGHT : limit / 2);
    }
  }

  /**
   * Returns whether an output may use the buffer of an operand. This is so if the operand is read
   * at the position of the output only, and is no longer read once an output has been written.
   */
  boolean canReuseOperandBuffer(OutputRegion part, int operand) {
    if (starts.reads(operand)) {
      return false;
    }
    Set<AffineIndex> own = outputPositions(part);
    boolean written = false;
    for (StageLoop stage : stages) {
      for (ArraySlot slot : stage.slots()) {
        if (slot.array() == operand && (written || !own.contains(slot.position()))) {
          return false;
        }
      }
      written |= stage.accesses(firstWorkspace - part.outputs(), firstWorkspace);
    }
    return true;
  }

  /**
   * Returns the positions at which the outputs store the results of an iteration. The set is empty
   * if the positions differ between the outputs, because only some of them are complex.
   */
  private Set<AffineIndex> outputPositions(OutputRegion part) {
    boolean isAlike =
        part.targets().stream().map(OutputRegion.Target::parts).distinct().count() == 1;
    return isAlike
        ? IntStream.range(0, part.values().size())
            .mapToObj(value -> nest.position(part.position(value)))
            .collect(ImmutableSet.toImmutableSet())
        : ImmutableSet.of();
  }

  /** Returns whether any of the code reads an input. */
  boolean reads(int input) {
    return starts.reads(input)
        || Arrays.stream(stages)
            .flatMap(stage -> stage.slots().stream())
            .anyMatch(slot -> slot.array() == input);
  }

  @Override
  public String toString() {
    return nest.counts() + " in " + stages.length + " stages";
  }

  /** Returns the stages, in order. */
  ImmutableList<StageLoop> stages() {
    return ImmutableList.copyOf(stages);
  }

  /**
   * Computes all elements of the region.
   *
   * @param arrays the storage of the inputs, followed by that of the outputs
   */
  void run(Object[] arrays, KernelContext context) {
    if (bases != null) {
      stages[0].run(arrays, bases, (int) rows, 0, inner);
      return;
    }
    long[] counters = startCounters(arrays, context);
    if (inner >= 2 * chunk && !isBlocked) {
      int chunksPerRow = Math.ceilDiv(inner, chunk);
      new Parallel(context, Ints.checkedCast(rows * chunksPerRow))
          .forEach(number -> {
            int from = number % chunksPerRow * chunk;
            int row = number / chunksPerRow;
            runRows(arrays, counters, row, row + 1, from, Math.min(inner, from + chunk));
          });
    } else {
      int rowsEach = Math.max(isBlocked ? BLOCK_ROWS : 1, chunk / inner);
      new Parallel(context, Ints.checkedCast(rows), rowsEach)
          .run((first, end) -> runRows(arrays, counters, first, end, 0, inner));
    }
  }

  /**
   * Returns whether the innermost loop has {@code length} iterations, and the region contains no
   * dynamic slices.
   */
  boolean hasInnerCount(long length) {
    return inner == length && starts.count() == 0;
  }

  /** Computes elements {@code from} to {@code to}, exclusive, of some rows. */
  void runPart(
      Object[] arrays, KernelContext context, long firstRow, long lastRow, int from, int to) {
    runRows(arrays, startCounters(arrays, context), firstRow, lastRow, from, to);
  }

  /**
   * Computes the elements whose positions are from {@code first} to {@code end}, exclusive, of a
   * shifted region, and stores them further on by {@code shift}.
   */
  void runRange(Object[] arrays, long[] startCounters, long first, long end, long shift) {
    long stride = Math.max(1, nest.innerStride(position));
    long reach = stride * (inner - 1);
    long row = rowsBefore(first - reach);
    long endRow = rowsBefore(end);
    if (row == endRow) {
      return;
    }
    long[] counters = startCounters.clone();
    counters[counters.length - 1] = shift;
    long firstStart = start(row);
    long lastStart = start(endRow - 1);
    int from = Math.clamp(Math.ceilDiv(first - firstStart, stride), 0, inner);
    int to = Math.clamp(Math.ceilDiv(end - lastStart, stride), 0, inner);
    if (endRow - row == 1) {
      runRows(arrays, counters, row, endRow, from, to);
      return;
    }
    if (from > 0) {
      runRows(arrays, counters, row, ++row, from, inner);
    }
    long endWhole = to < inner ? endRow - 1 : endRow;
    if (row < endWhole) {
      runRows(arrays, counters, row, endWhole, 0, inner);
    }
    if (to < inner) {
      runRows(arrays, counters, endRow - 1, endRow, 0, to);
    }
  }

  /**
   * Returns the number of rows that start before a position. Positions grow from row to row, so
   * that the digits of the last of them can be found one after the other.
   */
  private long rowsBefore(long at) {
    long rest = at - 1 - position.base();
    if (rest < 0) {
      return 0;
    }
    long row = 0;
    for (int loop = 0; loop < nest.loops() - 1; loop++) {
      long stride = position.coefficient(loop);
      long count = nest.counts().get(loop);
      long digit = Math.min(count - 1, rest / stride);
      row = row * count + digit;
      rest -= digit * stride;
    }
    return row + 1;
  }

  /** Returns the position of the first element of a row. */
  private long start(long row) {
    long[] counters = new long[nest.loops()];
    setRow(counters, row);
    return position.at(counters);
  }

  /**
   * Returns new counters: 0 for the loops, the start indices of the dynamic slices, and the shift,
   * if there is one.
   */
  long[] startCounters(Object[] arrays, KernelContext context) {
    long[] counters = new long[nest.loops() + starts.count() + (isShifted ? 1 : 0)];
    starts.set(counters, nest.loops(), arrays, context);
    return counters;
  }

  private void runRows(
      Object[] arrays, long[] startCounters, long firstRow, long lastRow, int from, int to) {
    long[] counters = startCounters.clone();
    Object[] all = withWorkspace(arrays);
    long[][] rowBases = new long[stages.length][];
    for (int s = 0; s < stages.length; s++) {
      rowBases[s] = stages[s].newBases();
    }
    long middleCount = nest.loops() == 1 ? 1 : nest.counts().get(nest.loops() - 2);
    long row = firstRow;
    while (row < lastRow) {
      long rowCount =
          stages.length > 1 ? 1 : Math.min(middleCount - row % middleCount, lastRow - row);
      setRow(counters, row);
      for (int s = 0; s < stages.length; s++) {
        stages[s].setBases(rowBases[s], counters);
      }
      runStages(all, rowBases, (int) rowCount, from, to);
      row += rowCount;
    }
  }

  private Object[] withWorkspace(Object[] arrays) {
    if (workspace.length == 0) {
      return arrays;
    }
    Object[] all = Arrays.copyOf(arrays, firstWorkspace + workspace.length);
    for (int i = 0; i < workspace.length; i++) {
      all[firstWorkspace + i] = WORKSPACE.array(workspace[i].type(), workspace[i].number());
    }
    return all;
  }

  private void setRow(long[] counters, long row) {
    long rest = row;
    for (int loop = nest.loops() - 2; loop >= 0; loop--) {
      long count = nest.counts().get(loop);
      counters[loop] = rest % count;
      rest /= count;
    }
  }

  private void runStages(Object[] arrays, long[][] rowBases, int rowCount, int from, int to) {
    if (stages.length == 1) {
      int columns = isBlocked ? BLOCK_COLUMNS : to - from;
      for (int first = from; first < to; first += columns) {
        stages[0].run(arrays, rowBases[0], rowCount, first, Math.min(to, first + columns));
      }
      return;
    }
    for (int strip = from; strip < to; strip += StripArrays.STRIP) {
      for (int s = 0; s < stages.length; s++) {
        stages[s].setStrip(rowBases[s], strip);
        stages[s].run(
            arrays, rowBases[s], rowCount, strip, Math.min(to, strip + StripArrays.STRIP));
      }
    }
  }
}
