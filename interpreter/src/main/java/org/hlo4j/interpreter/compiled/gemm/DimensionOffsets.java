package org.hlo4j.interpreter.compiled.gemm;

import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.hlo4j.interpreter.engine.Limits;

/**
 * The offsets of the elements along some dimensions of an array, relative to the first one: a
 * constant stride if possible, otherwise a table.
 *
 * @param count the number of offsets
 * @param stride the distance of neighbours within a run
 * @param table the offsets; none if the stride is constant
 * @param stridedRunLength the length of the runs with a constant stride, where each run begins at a
 *     multiple of that length
 */
@SuppressWarnings("ArrayRecordComponent") // read in the loops of products
public record DimensionOffsets(int count, int stride, int[] table, int stridedRunLength) {
  /** The maximum number of offsets in a table, which has 256 MB then. */
  public static final int MAX_IN_TABLE = 1 << 26;

  /** {@return the offsets {@code i * stride}} */
  public static DimensionOffsets strided(int count, int stride) {
    return new DimensionOffsets(count, stride, new int[0], Math.max(1, count));
  }

  /**
   * {@return the offsets {@code sum of index[d] * strides[d]}, with the indices in row-major order}
   */
  public static DimensionOffsets of(Dims sizes, Dims strides) {
    if (sizes.contains(0)) {
      return strided(0, 1);
    }
    Offsets offsets = Offsets.merged(sizes, strides);
    int last = offsets.sizes().length() - 1;
    int stride = last < 0 ? 1 : offsets.strides().get(last);
    if (last <= 0) {
      return strided(offsets.count(), stride);
    }
    Limits.requireMemory((long) Integer.BYTES * offsets.count(), "offsets of a product");
    return new DimensionOffsets(offsets.count(), stride, offsets.all(), offsets.sizes().get(last));
  }

  /**
   * {@return whether offsets along dimensions of an array need no table, or one that is not too
   * large}
   */
  public static boolean canTabulate(Dims sizes, Dims strides) {
    return sizes.contains(0)
        || Offsets.merged(sizes, strides).sizes().length() <= 1
        || sizes.stream().mapToDouble(size -> size).reduce(1, (x, y) -> x * y) <= MAX_IN_TABLE;
  }

  public int at(int i) {
    return table.length == 0 ? i * stride : table[i];
  }

  /** {@return how many offsets, from one on and before {@code end}, have a constant stride} */
  int run(int from, int end) {
    return Math.min(stridedRunLength - from % stridedRunLength, end - from);
  }

  public boolean hasConstantStride() {
    return table.length == 0;
  }

  /**
   * {@return the length of the runs that have a constant stride in both, where each run begins at a
   * multiple of that length}
   */
  int commonRun(DimensionOffsets other) {
    int run = stridedRunLength;
    int others = other.stridedRunLength;
    return other.hasConstantStride() || others % run == 0 ? run : run % others == 0 ? others : 1;
  }

  /**
   * {@return the length of the contiguous runs, where each run begins at a multiple of that length}
   */
  public int contiguousRunLength() {
    return stride == 1 ? stridedRunLength : 1;
  }

  public boolean isContiguous() {
    return contiguousRunLength() == Math.max(1, count);
  }

  /** {@return these offsets, each increased by {@code offset}} */
  public DimensionOffsets plus(int offset) {
    if (offset == 0) {
      return this;
    }
    int[] moved = IntStream.range(0, count).map(i -> at(i) + offset).toArray();
    return new DimensionOffsets(count, stride, moved, stridedRunLength);
  }

  int[] toTable() {
    return IntStream.range(0, count).map(this::at).toArray();
  }
}
