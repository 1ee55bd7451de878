package org.hlo4j.hlo.op;

import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/**
 * The elements of the result of a {@link Movement}, in runs: neighbours that come from equally
 * spaced elements of one operand. All positions are row-major.
 */
public final class ElementRuns {
  private final Movement op;
  private final List<Shape.Array> operands;
  private final Shape.Array result;
  private final Elements elements;

  /** Where the operands of a concatenation end, once it is known. */
  private long @Nullable [] ends;

  /** The elements of the operands that hold start indices. */
  @FunctionalInterface
  public interface Elements {
    /**
     * Returns an element of an operand.
     *
     * @param operand the number of the operand
     * @param position the position of the element
     * @return the element
     */
    long at(int operand, int position);
  }

  /** What is done with the runs. */
  public interface Consumer {
    /**
     * Accepts elements of an operand.
     *
     * @param to the position of the first of them in the result
     * @param count how many there are
     * @param operand the number of the operand
     * @param from the position of the first of them in the operand
     * @param step how far from one to the next in the operand
     */
    void copy(int to, int count, int operand, int from, int step);

    /**
     * Accepts numbers, as iota has them.
     *
     * @param to the position of the first of them in the result
     * @param count how many there are
     * @param first the first number
     * @param step how much the next is greater
     */
    void count(int to, int count, long first, long step);
  }

  /**
   * Creates the runs of a result.
   *
   * @param op the op
   * @param operands the shapes of its operands
   * @param result the shape of its result, which a Java array can hold
   * @param elements the elements of the operands that hold start indices
   */
  public ElementRuns(
      Movement op, List<Shape.Array> operands, Shape.Array result, Elements elements) {
    this.op = op;
    this.operands = operands;
    this.result = result;
    this.elements = elements;
  }

  /**
   * Gives all runs to a consumer, in the order of the result.
   *
   * @param consumer the consumer
   */
  public void forEach(Consumer consumer) {
    int last = result.rank() - 1;
    int row = last < 0 ? 1 : (int) result.size(last);
    for (int to = 0; to < result.elementCount(); to += row) {
      long[] index = index(to, result.sizes());
      for (int done = 0; done < row; ) {
        if (last >= 0) {
          index[last] = done;
        }
        done += run(index, to + done, row - done, consumer);
      }
    }
  }

  private static long[] index(long position, Dims sizes) {
    long[] index = new long[sizes.count()];
    long rest = position;
    for (int d = index.length - 1; d >= 0; d--) {
      index[d] = rest % sizes.get(d);
      rest /= sizes.get(d);
    }
    return index;
  }

  /** Gives a run of at most some elements to a consumer, and returns how many it has. */
  private int run(long[] start, int to, int most, Consumer consumer) {
    Progressions x = new Progressions(most);
    Progression[] index = new Progression[start.length];
    for (int d = 0; d < index.length; d++) {
      index[d] = new Progression(start[d], d == index.length - 1 ? 1 : 0);
    }
    switch (op.source(x, operands, result, Arrays.asList(index))) {
      case Movement.Source.Counted<Progression>(Progression number) ->
          consumer.count(to, x.count, number.first, number.step);
      case Movement.Source.Element<Progression>(int operand, List<Progression> from) -> {
        Progression position = x.position(from, operands.get(operand).sizes());
        consumer.copy(to, x.count, operand, (int) position.first, (int) position.step);
      }
    }
    return x.count;
  }

  /** The numbers {@code first + i * step}, for i from 0 on. */
  private record Progression(long first, long step) {}

  /**
   * Arithmetic on progressions. Where the first number of a progression and a later one differ in
   * the answer to a question, the progressions end before that number.
   */
  private final class Progressions implements IndexAlgebra<Progression> {
    /** The length of all progressions. */
    int count;

    Progressions(int count) {
      this.count = count;
    }

    @Override
    public long[] ends(List<Shape.Array> concatenated, int dimension) {
      ends = ends != null ? ends : IndexAlgebra.super.ends(concatenated, dimension);
      return ends;
    }

    /** Ends the progressions before a number below {@code low}, or from {@code high} on. */
    private void endOutside(Progression a, long low, long high) {
      if (a.step > 0 && a.first + a.step * (count - 1) >= high) {
        count = (int) Math.ceilDiv(high - a.first, a.step);
      } else if (a.step < 0 && a.first + a.step * (count - 1) < low) {
        count = (int) ((a.first - low) / -a.step) + 1;
      }
    }

    @Override
    public Progression constant(long value) {
      return new Progression(value, 0);
    }

    @Override
    public Progression plus(Progression a, Progression b) {
      return new Progression(a.first + b.first, a.step + b.step);
    }

    @Override
    public Progression times(Progression a, long factor) {
      return new Progression(a.first * factor, a.step * factor);
    }

    @Override
    public Progression quotient(Progression a, long divisor) {
      long quotient = Math.floorDiv(a.first, divisor);
      if (a.step % divisor == 0) {
        return new Progression(quotient, a.step / divisor);
      }
      endOutside(a, quotient * divisor, (quotient + 1) * divisor);
      return constant(quotient);
    }

    @Override
    public Progression remainder(Progression a, long divisor) {
      return plus(a, times(quotient(a, divisor), -divisor));
    }

    @Override
    public boolean isMultiple(Progression a, long divisor) {
      count = a.step % divisor == 0 ? count : 1;
      return a.first % divisor == 0;
    }

    @Override
    public int region(Progression a, long... bounds) {
      int region = IndexAlgebra.regionOf(a.first, bounds);
      endOutside(
          a,
          region == 0 ? Long.MIN_VALUE : bounds[region - 1],
          region == bounds.length ? Long.MAX_VALUE : bounds[region]);
      return region;
    }

    @Override
    public Progression start(int operand, List<Progression> index, long max) {
      Shape.Array shape = operands.get(operand);
      Progression position = position(index, shape.sizes());
      count = position.step == 0 ? count : 1;
      long start = elements.at(operand, (int) position.first);
      boolean isBeyond = start < 0 && shape.elementType().kind() == ElementType.Kind.UNSIGNED;
      return constant(isBeyond ? max : Math.clamp(start, 0, max));
    }
  }
}
