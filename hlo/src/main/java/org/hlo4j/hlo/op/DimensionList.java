package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireDimension;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/** An attribute that lists dimensions, with its name in HLO text. */
record DimensionList(String name, Dims dims) {
  /** Refuses numbers that are no dimensions of what is named. */
  void requireIn(String label, String role, int rank, Object shape) {
    for (int i = 0; i < dims.count(); i++) {
      requireDimension(
          dims.get(i),
          rank,
          label,
          "%s[%s] got %s, want a dimension of %s %s",
          name,
          i,
          dims.get(i),
          role,
          shape);
    }
  }

  /** Refuses a number that comes twice. */
  void requireDistinct(String label) {
    require(dims.isDistinct(), label, "%s got %s, want no dimension twice", name, dims);
  }

  /** Refuses numbers out of order; doubles, which are in no order either, as well. */
  void requireIncreasing(String label) {
    require(dims.isStrictlyIncreasing(), label, "%s got %s, want them increasing", name, dims);
  }

  /** Refuses a dimension that another attribute has already. */
  void requireDisjoint(String label, DimensionList other) {
    for (long dimension : dims.toArray()) {
      require(
          !other.dims.contains(dimension),
          label,
          "%s got %s, want none that is in %s, %s",
          name,
          dims,
          other.name,
          other.dims);
    }
  }

  /** Refuses all but one dimension of an operand. */
  static void requireOne(String label, Dims dimensions, Shape.Array operand) {
    require(
        dimensions.count() == 1,
        label,
        "dimensions got %s, want one dimension of %s",
        dimensions,
        operand);
    requireDimension(
        dimensions.get(0),
        operand.rank(),
        label,
        "dimensions got %s, want one dimension of %s",
        dimensions,
        operand);
  }
}
