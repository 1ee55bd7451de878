package org.hlo4j.hlo;

import java.util.stream.Collectors;

/**
 * The memory layout of a dense array, as HLO text writes it after a shape: {@code {1,0:T(2,128)}}.
 *
 * <p>A layout does not change what hlo4j computes; it is kept and printed again.
 *
 * @param minorToMajor the dimension numbers, the fastest-varying first
 * @param details the text after the colon, which gives tiles and memory space; empty if there is
 *     none
 */
public record Layout(Dims minorToMajor, String details) {
  /**
   * Returns the layout that XLA calls default: row-major, no details.
   *
   * @param rank the rank of the array
   * @return the layout
   */
  public static Layout rowMajor(int rank) {
    Dims ascending = Dims.range(0, rank);
    return new Layout(Dims.filled(rank, rank - 1L).minus(ascending), "");
  }

  /** Returns the layout in braces, as HLO text writes it. */
  @Override
  public String toString() {
    String order = minorToMajor.stream().mapToObj(Long::toString).collect(Collectors.joining(","));
    return "{" + order + (details.isEmpty() ? "" : ":" + details) + "}";
  }
}
