package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import java.util.Optional;

/**
 * An axis of a {@link Mesh}, or a part of one, XLA's AxisRefProto.
 *
 * @param axis the number of the axis, from 0
 * @param part the part of the axis; empty for the whole axis
 */
public record AxisRef(int axis, Optional<Part> part) {
  /**
   * A part of an axis: the axis is split into {@code preSize * size * rest}, and the part is the
   * dimension in the middle. HLO text writes it {@code 'x':(preSize)size}.
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
   * Returns a whole axis.
   *
   * @param axis the number of the axis, from 0
   * @return the axis
   */
  public static AxisRef of(int axis) {
    return new AxisRef(axis, Optional.empty());
  }

  /** Returns the product of the sizes before it on its axis. */
  long preSize() {
    return part.map(Part::preSize).orElse(1L);
  }

  /** Returns the product of the sizes before the next part; a whole axis has no next part. */
  private long nextPreSize() {
    return part.map(p -> p.preSize() * p.size()).orElse(Long.MAX_VALUE);
  }

  /**
   * Returns whether this part ends where another begins on the same axis, so that both can be
   * merged.
   */
  boolean endsAt(AxisRef other) {
    return axis == other.axis
        && part.isPresent()
        && other.part.isPresent()
        && nextPreSize() == other.preSize();
  }

  /**
   * Returns whether both can be used together: they do not overlap, and one reshape of the axis
   * contains both.
   */
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
