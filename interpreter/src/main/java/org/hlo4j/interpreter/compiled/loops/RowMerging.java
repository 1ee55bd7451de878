package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.index.AffineIndex;
import org.hlo4j.interpreter.compiled.index.IterationSpace;

/**
 * The merging of several short rows into a long one. Each operand has to be either contiguous from
 * row to row, or the same for all rows; of the latter, consecutive copies are made, so that they
 * are contiguous as well.
 */
final class RowMerging {
  /**
   * The maximum length of rows that are merged. In longer rows, the start of a row takes no longer
   * than the memory accesses.
   */
  private static final int MAX_ROW_LENGTH = 15;

  private static final int MAX_MERGED_LENGTH = 1024;

  /** The minimum number of elements for which merging pays. */
  private static final long MIN_ELEMENTS = 1 << 16;

  /**
   * Consecutive copies of a part of an input.
   *
   * @param input the number of the input
   * @param type its element type
   * @param from the first element of the part
   * @param length the number of elements of the part
   * @param times the number of copies
   */
  record Copy(int input, ElementType type, int from, int length, int times) {
    /** Returns a new array with the copies. */
    Object materialize(Object[] arrays) {
      Object copies = Storages.allocate(type, length * times);
      for (int k = 0; k < times; k++) {
        System.arraycopy(arrays[input], from, copies, k * length, length);
      }
      return copies;
    }
  }

  private final int firstCopy;
  private final List<Copy> copies = new ArrayList<>();

  /** Creates a tiling whose copies are numbered from {@code firstCopy} on. */
  RowMerging(int firstCopy) {
    this.firstCopy = firstCopy;
  }

  /** Returns the copies that the regions seen so far need. */
  ImmutableList<Copy> copies() {
    return ImmutableList.copyOf(copies);
  }

  /** Returns a region with longer rows, or the region itself. */
  OutputRegion mergeRows(OutputRegion part) {
    LoopNest nest = new LoopNest(part);
    if (nest.loops() < 2
        || nest.innerCount() > MAX_ROW_LENGTH
        || part.domain().elements() < MIN_ELEMENTS
        || !part.starts().isEmpty()) {
      return part;
    }
    int inner = (int) nest.innerCount();
    int times = largestDivisor(nest.counts().get(nest.loops() - 2), MAX_MERGED_LENGTH / inner);
    return times > 1 ? new RegionMerger(part, nest, inner, times).merge() : part;
  }

  /** Returns the largest divisor of a number of rows that is at most {@code most}. */
  private static int largestDivisor(long rows, int most) {
    int times = most;
    while (rows % times != 0) {
      times--;
    }
    return times;
  }

  private int copy(Copy copy) {
    if (!copies.contains(copy)) {
      copies.add(copy);
    }
    return firstCopy + copies.indexOf(copy);
  }

  /** The rewriting of one region to longer rows. */
  private final class RegionMerger {
    private final OutputRegion part;
    private final LoopNest nest;
    private final int inner;
    private final int times;
    private final int last;
    private final IdentityHashMap<LoopNode, LoopNode> known = new IdentityHashMap<>();
    private boolean hasGaps;

    RegionMerger(OutputRegion part, LoopNest nest, int inner, int times) {
      this.part = part;
      this.nest = nest;
      this.inner = inner;
      this.times = times;
      this.last = nest.loops() - 1;
    }

    OutputRegion merge() {
      int before = copies.size();
      ImmutableLongArray.Builder counts = ImmutableLongArray.builder();
      nest.counts().subArray(0, last - 1).forEach(counts::add);
      counts.add(nest.counts().get(last - 1) / times).add((long) inner * times);
      IterationSpace domain =
          new IterationSpace(counts.build(), moved(nest.position(part.domain().position())));
      ImmutableList<LoopNode> values =
          part.values().stream().map(this::value).collect(ImmutableList.toImmutableList());
      if (hasGaps) {
        copies.subList(before, copies.size()).clear();
        return part;
      }
      return new OutputRegion(
          domain, part.starts(), values, part.targets(), part.observesNanBits(), part.isShifted());
    }

    private boolean isContiguousAcrossRows(AffineIndex position) {
      return position.coefficient(last - 1) == position.coefficient(last) * inner;
    }

    /**
     * Returns a position with the stride of the longer rows. The position has to be contiguous from
     * row to row.
     */
    private AffineIndex moved(AffineIndex position) {
      hasGaps |= !isContiguousAcrossRows(position);
      return position.with(last - 1, position.coefficient(last - 1) * times);
    }

    private LoopNode value(LoopNode node) {
      LoopNode value = known.get(node);
      if (value == null) {
        value =
            switch (node) {
              case LoopNode.Read read -> read(read, nest.position(read.position()));
              case LoopNode.Immediate immediate -> immediate;
              case LoopNode.Count count ->
                  new LoopNode.Count(
                      count.type(), moved(nest.position(count.value())), count.isWide());
              case LoopNode.Apply apply ->
                  new LoopNode.Apply(
                      apply.op(),
                      apply.type(),
                      apply.operands().stream()
                          .map(this::value)
                          .collect(ImmutableList.toImmutableList()));
            };
        known.put(node, value);
      }
      return value;
    }

    private LoopNode.Read read(LoopNode.Read read, AffineIndex position) {
      if (isContiguousAcrossRows(position)
          || !position.equals(AffineIndex.counter(last).plus(position.base()))) {
        return new LoopNode.Read(read.input(), read.type(), moved(position));
      }
      Copy copy = new Copy(read.input(), read.type(), (int) position.base(), inner, times);
      return new LoopNode.Read(copy(copy), read.type(), AffineIndex.counter(last));
    }
  }
}
