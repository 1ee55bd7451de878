package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableLongArray;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;

/**
 * A set of elements that nested loops run through: how often each loop runs, outermost first, and
 * the row-major position of the element they are at.
 */
record Domain(ImmutableLongArray counts, Affine position) {
  /** All elements of an array, a loop for each dimension. */
  static Domain of(Dims sizes) {
    Affine position = Affine.constant(0);
    long stride = 1;
    for (int d = sizes.count() - 1; d >= 0; d--) {
      position = position.with(d, stride);
      stride *= sizes.get(d);
    }
    return new Domain(ImmutableLongArray.copyOf(sizes.stream()), position);
  }

  int loops() {
    return counts.length();
  }

  long elements() {
    return counts.stream().reduce(1, (a, b) -> a * b);
  }

  /** Two loops instead of one, the inner of which runs so often. */
  ImmutableList<Domain> factored(int loop, long inner) {
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
    Affine moved = new Affine(position.base(), coefficients.build());
    return ImmutableList.of(new Domain(ImmutableLongArray.copyOf(next), moved));
  }

  /** The elements before and from where a loop has run so often. */
  ImmutableList<Domain> splitAt(int loop, long at) {
    Affine upper = position.plus(position.coefficient(loop) * at);
    return ImmutableList.of(
        new Domain(withCount(loop, at), position),
        new Domain(withCount(loop, counts.get(loop) - at), upper));
  }

  /** Each step-th element of a loop, from the first, the second and so on. */
  ImmutableList<Domain> strided(int loop, long step) {
    long count = counts.get(loop);
    long coefficient = position.coefficient(loop);
    ImmutableList.Builder<Domain> parts = ImmutableList.builder();
    for (long first = 0; first < Math.min(step, count); first++) {
      Affine moved = position.plus(coefficient * first).with(loop, coefficient * step);
      parts.add(new Domain(withCount(loop, Math.ceilDiv(count - first, step)), moved));
    }
    return parts.build();
  }

  /** Without the loops that run once. */
  Domain withoutSingles() {
    ImmutableLongArray.Builder kept = ImmutableLongArray.builder();
    ImmutableLongArray.Builder coefficients = ImmutableLongArray.builder();
    for (int c = 0; c < loops(); c++) {
      if (counts.get(c) != 1) {
        kept.add(counts.get(c));
        coefficients.add(position.coefficient(c));
      }
    }
    return new Domain(kept.build(), new Affine(position.base(), coefficients.build()));
  }

  private ImmutableLongArray withCount(int loop, long count) {
    long[] next = counts.toArray();
    next[loop] = count;
    return ImmutableLongArray.copyOf(next);
  }
}
