package org.hlo4j.interpreter.compiled.index;

import com.google.common.collect.ImmutableList;
import com.google.common.math.LongMath;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.hlo4j.hlo.op.IndexAlgebra;

/**
 * Arithmetic on affine indices over an iteration space. Where a result is not an affine function of
 * the counters, the methods throw a {@link NotAffineException} with the parts of the iteration
 * space over which it is. The counters after those of the loops are the start indices of dynamic
 * slices.
 *
 * @param <V> what stands for the value of a start index
 */
public class AffineAlgebra<V> implements IndexAlgebra<AffineIndex> {
  /** The greatest step for which the iterations with each remainder are a part of their own. */
  private static final int MAX_STRIDED = 3;

  private final IterationSpace domain;
  private final List<DynamicStart<V>> starts;
  private final Elements<V> elements;

  /** The elements of the operands that hold start indices. */
  public interface Elements<V> {
    /** Returns the value of an element, which no loop changes. */
    V at(int operand, ImmutableList<AffineIndex> index);
  }

  public AffineAlgebra(IterationSpace domain) {
    this(
        domain,
        new ArrayList<>(),
        (operand, index) -> {
          throw NotAffineException.impossible();
        });
  }

  private AffineAlgebra(IterationSpace domain, List<DynamicStart<V>> starts, Elements<V> elements) {
    this.domain = domain;
    this.starts = starts;
    this.elements = elements;
  }

  /** Returns the same algebra, with start indices from the operands of an instruction. */
  public AffineAlgebra<V> withElements(Elements<V> others) {
    return new AffineAlgebra<>(domain, starts, others);
  }

  public IterationSpace domain() {
    return domain;
  }

  public ImmutableList<DynamicStart<V>> starts() {
    return ImmutableList.copyOf(starts);
  }

  /** Returns the counter of a start index, as an index. */
  @Override
  public AffineIndex start(int operand, List<AffineIndex> index, long max) {
    if (max == 0) {
      return constant(0);
    }
    DynamicStart<V> start =
        new DynamicStart<>(elements.at(operand, ImmutableList.copyOf(index)), max);
    int known = starts.indexOf(start);
    if (known < 0) {
      starts.add(start);
    }
    return AffineIndex.counter(domain.loops() + (known < 0 ? starts.size() - 1 : known));
  }

  @Override
  public AffineIndex constant(long value) {
    return AffineIndex.constant(value);
  }

  @Override
  public AffineIndex plus(AffineIndex a, AffineIndex b) {
    return a.plus(b);
  }

  @Override
  public AffineIndex times(AffineIndex a, long factor) {
    return a.times(factor);
  }

  private long count(int counter) {
    return counter < domain.loops()
        ? domain.counts().get(counter)
        : starts.get(counter - domain.loops()).maxStart() + 1;
  }

  /** Returns the difference that a counter makes to a position from its first value to its last. */
  private long reach(AffineIndex position, int counter) {
    return position.coefficient(counter) * (count(counter) - 1);
  }

  private long minimum(AffineIndex position) {
    long least = position.base();
    for (int c = 0; c < position.counters(); c++) {
      least += Math.min(0, reach(position, c));
    }
    return least;
  }

  /** Returns the greatest value of a position in the iteration space. */
  public long maximum(AffineIndex position) {
    long most = position.base();
    for (int c = 0; c < position.counters(); c++) {
      most += Math.max(0, reach(position, c));
    }
    return most;
  }

  /** Returns whether a position is an int everywhere in the iteration space. */
  public boolean fitsInt(AffineIndex position) {
    return minimum(position) >= Integer.MIN_VALUE && maximum(position) <= Integer.MAX_VALUE;
  }

  /**
   * Returns {@code position mod size}: the terms of a position that are not multiples of a size.
   */
  @Override
  public AffineIndex remainder(AffineIndex position, long size) {
    AffineIndex below = position.mapped(value -> value % size == 0 ? 0 : value);
    AffineIndex remainder = below.plus(Math.floorMod(position.base(), size) - below.base());
    for (int c = 0; c < remainder.counters(); c++) {
      if (reach(remainder, c) == 0) {
        remainder = remainder.with(c, 0);
      }
    }
    if (minimum(remainder) < 0 || maximum(remainder) >= size) {
      throw stripMine(remainder, size);
    }
    return remainder;
  }

  /** Returns {@code position / size}, for a position whose remainder or divisibility is known. */
  @Override
  public AffineIndex quotient(AffineIndex position, long size) {
    long base = Math.floorDiv(position.base(), size);
    return position.mapped(value -> value % size == 0 ? value / size : 0).withBase(base);
  }

  /**
   * Splits a loop that runs through several rows of a size into one over rows and one inside a row.
   */
  private NotAffineException stripMine(AffineIndex position, long size) {
    for (int loop = 0; loop < Math.min(domain.loops(), position.counters()); loop++) {
      long step = Math.abs(position.coefficient(loop));
      if (step != 0 && size % step == 0) {
        long inner = size / step;
        if (count(loop) > inner && count(loop) % inner == 0) {
          return new NotAffineException(domain.stripMine(loop, inner));
        }
      }
    }
    return NotAffineException.impossible();
  }

  @Override
  public boolean isMultiple(AffineIndex position, long step) {
    int[] open =
        IntStream.range(0, position.counters())
            .filter(c -> position.coefficient(c) % step != 0 && count(c) > 1)
            .toArray();
    if (open.length == 0) {
      return position.base() % step == 0;
    }
    int loop = open[0];
    if (loop >= domain.loops() || (open.length > 1 && step > MAX_STRIDED)) {
      throw NotAffineException.impossible();
    }
    if (step <= MAX_STRIDED) {
      throw new NotAffineException(domain.strided(loop, step));
    }
    if (firstMultiple(position, loop, step) >= count(loop)) {
      return false;
    }
    throw new NotAffineException(aroundMultiples(position, loop, step));
  }

  /**
   * Returns the parts of a space in which a position that only one loop changes is a multiple of a
   * step, and those in which it is not: of whole periods those before, at and behind the multiple,
   * and the rest. There are few of them, however large the step.
   */
  private ImmutableList<IterationSpace> aroundMultiples(AffineIndex position, int loop, long step) {
    long period = step / LongMath.gcd(Math.abs(position.coefficient(loop)), step);
    long whole = count(loop) / period * period;
    if (whole > period) {
      return whole < count(loop) ? domain.splitAt(loop, whole) : domain.stripMine(loop, period);
    }
    long first = firstMultiple(position, loop, step);
    return domain.splitAt(loop, first == 0 ? 1 : first);
  }

  /**
   * Returns the first iteration of a loop in which a position that only this loop changes is a
   * multiple of a step; a large number if there is none.
   */
  private static long firstMultiple(AffineIndex position, int loop, long step) {
    long common = LongMath.gcd(Math.abs(position.coefficient(loop)), step);
    if (position.base() % common != 0) {
      return Long.MAX_VALUE;
    }
    BigInteger period = BigInteger.valueOf(step / common);
    BigInteger inverse =
        BigInteger.valueOf(position.coefficient(loop) / common).mod(period).modInverse(period);
    return BigInteger.valueOf(-position.base() / common)
        .multiply(inverse)
        .mod(period)
        .longValueExact();
  }

  /**
   * Returns how many of some ascending bounds are at or below a position. The number has to be the
   * same everywhere in the iteration space.
   */
  @Override
  public int region(AffineIndex position, long... bounds) {
    int first = IndexAlgebra.regionOf(minimum(position), bounds);
    if (first == IndexAlgebra.regionOf(maximum(position), bounds)) {
      return first;
    }
    throw split(position, bounds);
  }

  /**
   * Splits the loop that changes the position most at the iteration where it first reaches another
   * region.
   */
  private NotAffineException split(AffineIndex position, long... bounds) {
    int loop = -1;
    for (int c = 0; c < Math.min(domain.loops(), position.counters()); c++) {
      boolean further = loop < 0 || Math.abs(reach(position, c)) > Math.abs(reach(position, loop));
      loop = reach(position, c) != 0 && further ? c : loop;
    }
    if (loop < 0) {
      return NotAffineException.impossible();
    }
    long coefficient = position.coefficient(loop);
    AffineIndex others = position.with(loop, 0);
    LongUnaryOperator regions =
        iteration ->
            (long) IndexAlgebra.regionOf(minimum(others) + coefficient * iteration, bounds)
                    * (bounds.length + 1)
                + IndexAlgebra.regionOf(maximum(others) + coefficient * iteration, bounds);
    return firstChange(loop, regions);
  }

  private NotAffineException firstChange(int loop, LongUnaryOperator regions) {
    long same = 0;
    long changed = count(loop) - 1;
    if (regions.applyAsLong(same) == regions.applyAsLong(changed)) {
      return NotAffineException.impossible();
    }
    while (changed - same > 1) {
      long middle = (same + changed) >>> 1;
      if (regions.applyAsLong(middle) == regions.applyAsLong(0)) {
        same = middle;
      } else {
        changed = middle;
      }
    }
    return new NotAffineException(domain.splitAt(loop, changed));
  }
}
