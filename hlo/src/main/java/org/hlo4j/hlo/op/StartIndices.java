package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireFitting;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.Shape;

/**
 * The start indices of a dynamic slice: the operands from {@code first} on, one scalar for each
 * dimension, or a single vector of all, as in old modules.
 */
record StartIndices(Operands in, int first, Shape.Array operand) {
  /** Refuses all but scalars of one integer type, as many as dimensions. */
  void check(String countLabel, String typeLabel) {
    int count = in.shapes().size() - first;
    if (count == 1 && in.array(first, "start_indices").rank() == 1) {
      checkVector(in.array(first, "start_indices"), countLabel);
      return;
    }
    require(
        count == operand.rank(),
        countLabel,
        "start index count got %s, want one for each of the %s dimensions of %s",
        count,
        operand.rank(),
        operand);
    for (int i = 0; i < count; i++) {
      checkScalar(i, typeLabel);
    }
  }

  private void checkVector(Shape.Array vector, String label) {
    boolean isCounted = vector.size(0) == operand.rank();
    requireFitting(
        isCounted && vector.elementType().isIntegral(),
        () -> isCounted ? Fits.integers(vector, "start_indices") : "",
        label,
        "start_indices got %s, want a vector of %s integers, one for each dimension of %s",
        vector,
        operand.rank(),
        operand);
  }

  private void checkScalar(int i, String label) {
    Shape.Array index = in.array(first + i, "start index " + i);
    requireFitting(
        index.isScalar() && index.elementType().isIntegral(),
        () -> index.isScalar() ? Fits.integers(index, "start index " + i) : "",
        label,
        "start index %s got %s, want an integer scalar",
        i,
        index);
    Shape.Array leader = in.array(first, "start index 0");
    requireFitting(
        index.elementType() == leader.elementType(),
        () -> Fits.value(index, leader, "start index " + i),
        label,
        "start index %s got %s, want %s as start index 0",
        i,
        index,
        leader.withoutLayout());
  }

  /** Returns the start in a dimension, clamped to the range from 0 to max. */
  static <I> I start(
      IndexAlgebra<I> x, List<Shape.Array> operands, int first, int dimension, long max) {
    return operands.get(first).rank() == 1
        ? x.start(first, ImmutableList.of(x.constant(dimension)), max)
        : x.start(first + dimension, ImmutableList.of(), max);
  }
}
