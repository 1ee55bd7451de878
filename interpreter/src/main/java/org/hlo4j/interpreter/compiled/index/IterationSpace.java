package org.hlo4j.interpreter.compiled.index;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import com.google.common.primitives.ImmutableLongArray;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.hlo.Dims;

/**
 * The elements that nested loops run through.
 *
 * @param counts the number of iterations of each loop, outermost first
 * @param position the row-major position of the current element
 */
public record IterationSpace(ImmutableLongArray counts, AffineIndex position) {
  /** Returns the space of all elements of an array, with a loop for each dimension. */
  public static IterationSpace of(Dims sizes) {
    AffineIndex position = AffineIndex.constant(0);
    long stride = 1;
    for (int d = sizes.count() - 1; d >= 0; d--) {
      position = position.with(d, stride);
      stride *= sizes.get(d);
    }
    return new IterationSpace(ImmutableLongArray.copyOf(sizes.stream()), position);
  }

  public int loops() {
    return counts.length();
  }

  public long elements() {
    return counts.stream().reduce(1, (a, b) -> a * b);
  }

  /**
   * Returns the same elements with one loop split in two, of which the inner has {@code inner}
   * iterations.
   */
  public ImmutableList<IterationSpace> stripMine(int loop, long inner) {
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
  public ImmutableList<IterationSpace> splitAt(int loop, long at) {
    AffineIndex upper = position.plus(position.coefficient(loop) * at);
    return ImmutableList.of(
        new IterationSpace(withCount(loop, at), position),
        new IterationSpace(withCount(loop, counts.get(loop) - at), upper));
  }

  /**
   * Returns {@code step} spaces: number k has each step-th iteration of a loop, from iteration k
   * on.
   */
  public ImmutableList<IterationSpace> strided(int loop, long step) {
    long count = counts.get(loop);
    long coefficient = position.coefficient(loop);
    ImmutableList.Builder<IterationSpace> parts = ImmutableList.builder();
    for (long first = 0; first < Math.min(step, count); first++) {
      AffineIndex moved = position.plus(coefficient * first).with(loop, coefficient * step);
      parts.add(new IterationSpace(withCount(loop, Math.ceilDiv(count - first, step)), moved));
    }
    return parts.build();
  }

  /**
   * Returns what a function gives for the parts of this space, in order. A part for which the
   * function throws a {@link NotAffineException} is split as that says.
   *
   * @return the values; empty if there would be more than {@code most}, or if the function has none
   *     for some part
   */
  public <R> Optional<ImmutableList<R>> parts(int most, Function<IterationSpace, R> function) {
    List<R> done = new ArrayList<>();
    Deque<IterationSpace> toDo = new ArrayDeque<>();
    toDo.push(withoutUnitLoops());
    while (!toDo.isEmpty()) {
      IterationSpace part = toDo.pop();
      try {
        if (part.elements() > 0) {
          done.add(function.apply(part));
        }
      } catch (NotAffineException notAffine) {
        int parts = notAffine.parts().size();
        if (parts == 0 || done.size() + toDo.size() + parts > most) {
          return Optional.empty();
        }
        Lists.reverse(notAffine.parts()).forEach(next -> toDo.push(next.withoutUnitLoops()));
      }
    }
    return Optional.of(ImmutableList.copyOf(done));
  }

  /** Returns the same elements without the loops that have one iteration. */
  public IterationSpace withoutUnitLoops() {
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
