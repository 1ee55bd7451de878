package org.hlo4j.hlo;

import java.util.stream.Collectors;

/**
 * How a dense array lies in memory, as HLO text writes it behind a shape: {@code {1,0:T(2,128)}}.
 *
 * <p>hlo4j computes the same with every layout; it keeps what it is given and prints it again.
 *
 * @param minorToMajor dimension numbers, the fastest-varying first
 * @param details what follows the colon, tiles and memory space, as written; empty if nothing does
 */
public record Layout(Dims minorToMajor, String details) {
  /**
   * The layout that XLA calls default: row-major, no details.
   *
   * @param rank the rank of the array
   * @return the layout
   */
  public static Layout rowMajor(int rank) {
    Dims ascending = Dims.range(0, rank);
    return new Layout(Dims.filled(rank, rank - 1L).minus(ascending), "");
  }

  /** The layout in braces, as HLO text writes it. */
  @Override
  public String toString() {
    String order = minorToMajor.stream().mapToObj(Long::toString).collect(Collectors.joining(","));
    return "{" + order + (details.isEmpty() ? "" : ":" + details) + "}";
  }
}
