package org.hlo4j.hlo.op;

import static com.google.common.collect.ImmutableSortedSet.toImmutableSortedSet;
import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireFitting;

import com.google.common.collect.ImmutableSortedSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * Concatenates arrays along a dimension.
 *
 * <pre>
 *   dimensions={0}                  dimensions={1}
 *     1 2   with  5 6   -&gt;  1 2      1 2   with  5   -&gt;  1 2 5
 *     3 4                   3 4      3 4         6       3 4 6
 *                           5 6
 * </pre>
 *
 * @param dimensions the single dimension
 */
public record Concatenate(Dims dimensions) implements Movement {
  /**
   * Returns a concatenation along a dimension.
   *
   * @param dimension the dimension
   * @return the op
   */
  public static Concatenate along(long dimension) {
    return new Concatenate(Dims.of(dimension));
  }

  /**
   * Returns the dimension along which the arrays are put.
   *
   * @return the dimension
   */
  public int dimension() {
    return dimensions.getInt(0);
  }

  @Override
  public String opcode() {
    return "concatenate";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array result = in.array(0, "operand 0");
    DimensionList.requireOne("concatenate C4", dimensions, result);
    for (int i = 1; i < in.shapes().size(); i++) {
      Shape.Array next = in.array(i, "operand " + i);
      check(in.array(0, "operand 0"), result, next, i);
      result = joined(result, next, i);
    }
    return result.withLayout(null);
  }

  private void check(Shape.Array first, Shape.Array result, Shape.Array next, int i) {
    requireFitting(
        next.elementType() == first.elementType(),
        () -> Fits.value(next, next.withElementType(first.elementType()), "operand " + i),
        "concatenate C1",
        "element type of operand %s got %s, want %s as operand 0",
        i,
        next.elementType(),
        first.elementType());
    require(
        next.rank() == first.rank(),
        "concatenate C2",
        "operand %s got %s, want the rank of operand 0, %s",
        i,
        next,
        first);
    for (int d = 0; d < next.rank(); d++) {
      require(
          d == dimension() || fit(result, next, d),
          "concatenate C2",
          "size of dimension %s of operand %s got %s, want %s as before: only dimension %s may"
              + " differ",
          d,
          i,
          next.sizeText(d),
          result.sizeText(d),
          dimension());
    }
  }

  /**
   * Returns whether two sizes are compatible: equal, or one of them unbounded. Different bounds are
   * never compatible.
   */
  private static boolean fit(Shape.Array a, Shape.Array b, int d) {
    return a.size(d) == b.size(d) || a.isUnbounded(d) || b.isUnbounded(d);
  }

  private Shape.Array joined(Shape.Array a, Shape.Array b, int operand) {
    Dims sizes = a.sizes();
    for (int d = 0; d < a.rank(); d++) {
      sizes = sizes.with(d, d == dimension() ? sum(a, b, operand) : known(a, b, d));
    }
    ImmutableSortedSet<Integer> dynamic =
        IntStream.range(0, a.rank())
            .filter(d -> isDynamic(a, b, d))
            .boxed()
            .collect(toImmutableSortedSet(Comparator.naturalOrder()));
    return new Shape.Array(a.elementType(), sizes, dynamic, Optional.empty());
  }

  /**
   * Returns whether a dimension of the result is dynamic. In the other dimensions a known size has
   * precedence over an unknown one, and a bound over an equal static size.
   */
  private boolean isDynamic(Shape.Array a, Shape.Array b, int d) {
    if (d == dimension() || a.isUnbounded(d) == b.isUnbounded(d)) {
      return a.isDynamic(d) || b.isDynamic(d);
    }
    return a.isUnbounded(d) ? b.isDynamic(d) : a.isDynamic(d);
  }

  private static long known(Shape.Array a, Shape.Array b, int d) {
    return a.isUnbounded(d) ? b.size(d) : a.size(d);
  }

  private long sum(Shape.Array a, Shape.Array b, int operand) {
    int d = dimension();
    if (a.isUnbounded(d) || b.isUnbounded(d)) {
      return Shape.UNBOUNDED;
    }
    try {
      return Math.addExact(a.size(d), b.size(d));
    } catch (ArithmeticException overflow) {
      throw new HloException(
          "concatenate C6",
          String.format(
              "size of dimension %s of the result got beyond 2^63 - 1 at operand %s, want less",
              d, operand));
    }
  }

  /** {@code result[..., before + i, ...] = operand[..., i, ...]} for each operand */
  @Override
  public <I> Source<I> source(
      IndexAlgebra<I> x, List<Shape.Array> operands, Shape.Array result, List<I> index) {
    long[] ends = x.ends(operands, dimension());
    int number = x.region(index.get(dimension()), ends);
    long before = number == 0 ? 0 : ends[number - 1];
    return Source.at(
        number,
        index.size(),
        d -> d == dimension() ? x.shifted(index.get(d), -before) : index.get(d));
  }
}
