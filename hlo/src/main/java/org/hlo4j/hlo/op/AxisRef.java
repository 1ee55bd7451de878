package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import java.util.Optional;

/**
 * An axis of a {@link Mesh}, or a part of one, as XLA's AxisRefProto has it.
 *
 * @param axis which axis, from 0 on
 * @param part which part of it; empty for the whole axis
 */
public record AxisRef(int axis, Optional<Part> part) {
  /**
   * A part of an axis that is seen as {@code preSize * size * rest}: the dimension in the middle.
   * HLO text writes it {@code 'x':(preSize)size}.
   *
   * @param preSize the product of the sizes before it
   * @param size its own size
   */
  public record Part(long preSize, long size) {
    /**
     * Checks the sizes.
     *
     * @throws org.hlo4j.hlo.HloException if the size before is below 1, or the size below 2
     */
    public Part {
      require(
          preSize >= 1 && size >= 2 && size <= Long.MAX_VALUE / preSize,
          "",
          "part of an axis got (%s)%s, want at least (1)2",
          preSize,
          size);
    }
  }

  /**
   * A whole axis.
   *
   * @param axis which axis, from 0 on
   * @return the axis
   */
  public static AxisRef of(int axis) {
    return new AxisRef(axis, Optional.empty());
  }

  /** The product of the sizes before it on its axis. */
  long preSize() {
    return part.map(Part::preSize).orElse(1L);
  }

  /** The same behind it; of whole axes nothing is behind. */
  private long nextPreSize() {
    return part.map(p -> p.preSize() * p.size()).orElse(Long.MAX_VALUE);
  }

  /** Whether this ends on its axis where another begins, so that one part could stand for both. */
  boolean endsAt(AxisRef other) {
    return axis == other.axis
        && part.isPresent()
        && other.part.isPresent()
        && nextPreSize() == other.preSize();
  }

  /** Whether both can be used together: they share nothing, one reshape of the axis has both. */
  boolean isApartFrom(AxisRef other) {
    if (axis != other.axis) {
      return true;
    }
    return part.isPresent() && other.part.isPresent() && (isBefore(other) || other.isBefore(this));
  }

  private boolean isBefore(AxisRef other) {
    return nextPreSize() <= other.preSize() && other.preSize() % nextPreSize() == 0;
  }
}
