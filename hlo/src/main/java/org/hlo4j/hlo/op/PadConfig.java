package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;

/**
 * The amount of padding in each dimension: before the first element, after the last, and between
 * neighbours. Edge padding may be negative, which removes elements.
 *
 * <pre>
 *   low 1, high 2, interior 1:    1 2 3   -&gt;   . 1 . 2 . 3 . .
 *   low -1, high 0, interior 1:   1 2 3   -&gt;   . 2 . 3
 * </pre>
 *
 * @param edgePaddingLow for each dimension the padding before the first element
 * @param edgePaddingHigh for each dimension the padding after the last element
 * @param interiorPadding for each dimension the padding between two neighbours, at least 0
 */
public record PadConfig(Dims edgePaddingLow, Dims edgePaddingHigh, Dims interiorPadding) {
  /**
   * Checks that all have as many values.
   *
   * @throws org.hlo4j.hlo.HloException if they do not
   */
  public PadConfig {
    requireNonNull(edgePaddingHigh, "edgePaddingHigh");
    requireNonNull(edgePaddingLow, "edgePaddingLow");
    requireNonNull(interiorPadding, "interiorPadding");
    requireCount("edge_padding_high", edgePaddingHigh, edgePaddingLow);
    requireCount("interior_padding", interiorPadding, edgePaddingLow);
  }

  private static void requireCount(String name, Dims values, Dims low) {
    require(
        values.count() == low.count(),
        "pad C2",
        "pad: %s got %s, want as many values as edge_padding_low, %s",
        name,
        values,
        low.count());
  }

  /**
   * Returns a configuration without padding, which can be extended: {@code
   * PadConfig.none(2).withDimension(1, 0, 3, 0)}.
   *
   * @param rank the number of dimensions
   * @return the configuration
   */
  public static PadConfig none(int rank) {
    return edges(Dims.filled(rank, 0), Dims.filled(rank, 0));
  }

  /**
   * Returns a configuration with edge padding and no interior padding.
   *
   * @param low for each dimension the padding before the first element
   * @param high for each dimension the padding after the last element
   * @return the configuration
   */
  public static PadConfig edges(Dims low, Dims high) {
    requireNonNull(high, "high");
    requireNonNull(low, "low");
    return new PadConfig(low, high, Dims.filled(low.count(), 0));
  }

  /**
   * Padding between neighbours only, as for the gradient of a strided op.
   *
   * @param interior for each dimension how much comes between two neighbours
   * @return the configuration
   */
  public static PadConfig interior(long... interior) {
    requireNonNull(interior, "interior");
    Dims none = Dims.filled(interior.length, 0);
    return new PadConfig(none, none, Dims.of(interior));
  }

  /**
   * Returns this configuration with other padding in one dimension.
   *
   * @param dimension the dimension
   * @param low the padding before the first element
   * @param high the padding after the last element
   * @param interior the padding between two neighbours
   * @return the configuration
   */
  public PadConfig withDimension(int dimension, long low, long high, long interior) {
    return new PadConfig(
        edgePaddingLow.with(dimension, low),
        edgePaddingHigh.with(dimension, high),
        interiorPadding.with(dimension, interior));
  }

  /**
   * Describes the padding in words, with a line for each dimension: {@code dim 0: 1 before, 2 cut
   * off behind, 1 between}.
   *
   * @return the text
   */
  public String explain() {
    return IntStream.range(0, edgePaddingLow.count())
        .mapToObj(i ->
            "dim "
                + i
                + ": "
                + edge(edgePaddingLow.get(i), "before")
                + ", "
                + edge(edgePaddingHigh.get(i), "behind")
                + ", "
                + interiorPadding.get(i)
                + " between")
        .collect(Collectors.joining("\n"));
  }

  private static String edge(long amount, String where) {
    return amount < 0 ? -amount + " cut off " + where : amount + " " + where;
  }

  /** Returns the HLO text: {@code 1_2x0_0}, or {@code 1_2_1x0_0_0} with interior padding. */
  @Override
  public String toString() {
    boolean plain = interiorPadding.stream().allMatch(interior -> interior == 0);
    return IntStream.range(0, edgePaddingLow.count())
        .mapToObj(i ->
            edgePaddingLow.get(i)
                + "_"
                + edgePaddingHigh.get(i)
                + (plain ? "" : "_" + interiorPadding.get(i)))
        .collect(Collectors.joining("x"));
  }
}
