package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;

/**
 * The elements that nested loops run through.
 *
 * @param counts the number of iterations of each loop, outermost first
 * @param position the row-major position of the current element
 */
record IterationSpace(ImmutableLongArray counts, AffineIndex position) {
  /** Returns the space of all elements of an array, with a loop for each dimension. */
  static IterationSpace of(Dims sizes) {
    AffineIndex position = AffineIndex.constant(0);
    long stride = 1;
    for (int d = sizes.count() - 1; d >= 0; d--) {
      position = position.with(d, stride);
      stride *= sizes.get(d);
    }
    return new IterationSpace(ImmutableLongArray.copyOf(sizes.stream()), position);
  }

  int loops() {
    return counts.length();
  }

  long elements() {
    return counts.stream().reduce(1, (a, b) -> a * b);
  }

  /**
   * Returns the same elements with one loop split in two, of which the inner has {@code inner}
   * iterations.
   */
  ImmutableList<IterationSpace> stripMine(int loop, long inner) {
    List<Long> next = new ArrayList<>(counts.asList());
    next.set(loop, counts.get(loop) / inner);
    next.add(loop + 1, inner);
    ImmutableLongArray.Builder coefficients = ImmutableLongArray.builder();
    for (int c = 0; c < loops(); c++) {
      if (c == loop) {
        coefficients.add(position.coefficient(c) * inner);
      }
      coefficients.add(position.coefficient(c));
    }
    AffineIndex moved = new AffineIndex(position.base(), coefficients.build());
    return ImmutableList.of(new IterationSpace(ImmutableLongArray.copyOf(next), moved));
  }

  /**
   * Returns two spaces: the iterations of a loop before {@code at}, and those from {@code at} on.
   */
  ImmutableList<IterationSpace> splitAt(int loop, long at) {
    AffineIndex upper = position.plus(position.coefficient(loop) * at);
    return ImmutableList.of(
        new IterationSpace(withCount(loop, at), position),
        new IterationSpace(withCount(loop, counts.get(loop) - at), upper));
  }

  /**
   * Returns {@code step} spaces: number k has each step-th iteration of a loop, from iteration k
   * on.
   */
  ImmutableList<IterationSpace> strided(int loop, long step) {
    long count = counts.get(loop);
    long coefficient = position.coefficient(loop);
    ImmutableList.Builder<IterationSpace> parts = ImmutableList.builder();
    for (long first = 0; first < Math.min(step, count); first++) {
      AffineIndex moved = position.plus(coefficient * first).with(loop, coefficient * step);
      parts.add(new IterationSpace(withCount(loop, Math.ceilDiv(count - first, step)), moved));
    }
    return parts.build();
  }

  /** Returns the same elements without the loops that have one iteration. */
  IterationSpace withoutUnitLoops() {
    ImmutableLongArray.Builder kept = ImmutableLongArray.builder();
    ImmutableLongArray.Builder coefficients = ImmutableLongArray.builder();
    for (int c = 0; c < loops(); c++) {
      if (counts.get(c) != 1) {
        kept.add(counts.get(c));
        coefficients.add(position.coefficient(c));
      }
    }
    return new IterationSpace(kept.build(), new AffineIndex(position.base(), coefficients.build()));
  }

  private ImmutableLongArray withCount(int loop, long count) {
    long[] next = counts.toArray();
    next[loop] = count;
    return ImmutableLongArray.copyOf(next);
  }
}
