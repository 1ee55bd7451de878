package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;

/**
 * The ranges of a slice: for each dimension the indices from a start up to but not including a
 * limit, with a stride.
 *
 * @param startIndices for each dimension the first index
 * @param limitIndices for each dimension the exclusive upper bound of the indices
 * @param strides for each dimension the distance of two indices
 */
public record SliceRanges(Dims startIndices, Dims limitIndices, Dims strides) {
  /**
   * Checks that all have as many values.
   *
   * @throws org.hlo4j.hlo.HloException if they do not
   */
  public SliceRanges {
    requireNonNull(limitIndices, "limitIndices");
    requireNonNull(startIndices, "startIndices");
    requireNonNull(strides, "strides");
    requireCount("limit_indices", limitIndices, startIndices);
    requireCount("strides", strides, startIndices);
  }

  private static void requireCount(String name, Dims values, Dims starts) {
    require(
        values.count() == starts.count(),
        "slice C2",
        "slice: %s got %s, want as many values as start_indices, %s",
        name,
        values,
        starts.count());
  }

  /**
   * Returns how many indices there are in each dimension.
   *
   * @return the sizes
   * @throws org.hlo4j.hlo.HloException if a stride is below 1
   */
  public Dims sizes() {
    long[] sizes = new long[startIndices.count()];
    for (int i = 0; i < sizes.length; i++) {
      long stride = strides.get(i);
      require(stride > 0, "slice C4", "strides[%s] got %s, want above 0", i, stride);
      sizes[i] = Math.ceilDiv(limitIndices.get(i) - startIndices.get(i), strides.get(i));
    }
    return Dims.of(sizes);
  }

  /** Returns the HLO text: {@code {[0:2], [1:3]}}, or {@code {[0:4:2], [1:3:1]}}. */
  @Override
  public String toString() {
    boolean plain = strides.stream().allMatch(stride -> stride == 1);
    return IntStream.range(0, startIndices.count())
        .mapToObj(i ->
            "["
                + startIndices.get(i)
                + ":"
                + limitIndices.get(i)
                + (plain ? "" : ":" + strides.get(i))
                + "]")
        .collect(Collectors.joining(", ", "{", "}"));
  }
}
