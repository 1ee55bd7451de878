package org.hlo4j.builder.lib;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.builder.lib.common.Checks.require;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.builder.ComputationBody;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * Loops that carry any number of values, without tuples in the caller's program.
 *
 * <p>Conditions and bodies can use only the carried values; any other value that they need must be
 * carried as well.
 */
public final class Loops {
  private Loops() {}

  /** The body of a loop: maps the carried values to those of the next iteration. */
  @FunctionalInterface
  public interface Body {
    /**
     * Adds the ops of one iteration.
     *
     * @param body the builder of the body, for constants
     * @param values the carried values
     * @return as many values, of the same shapes
     */
    List<XlaOp> build(XlaBuilder body, List<XlaOp> values);
  }

  /** The body of a loop with an index. */
  @FunctionalInterface
  public interface IndexedBody {
    /**
     * Adds the ops of one iteration.
     *
     * @param body the builder of the body, for constants
     * @param index the number of the iteration, from 0
     * @param values the carried values
     * @return as many values, of the same shapes
     */
    List<XlaOp> build(XlaBuilder body, XlaOp index, List<XlaOp> values);
  }

  /**
   * Repeats a body while a condition on the carried values holds.
   *
   * <pre>{@code
   * // x halved until it is below 1, and how often
   * Loops.whileLoopHelper(b, (c, v) -> v.get(0).ge(c.constant(1f)),
   *     (c, v) -> List.of(v.get(0).div(c.constant(2f)), v.get(1).add(c.constant(1))),
   *     List.of(x, b.constant(0)))
   * }</pre>
   *
   * @param builder the builder of the values
   * @param condition from the values to whether there is another round
   * @param body from the values to the next ones
   * @param initValues the first values
   * @return the values of which the condition did not hold
   * @throws HloException if the condition does not give a pred scalar, or the body other shapes
   */
  public static List<XlaOp> whileLoopHelper(
      XlaBuilder builder, ComputationBody condition, Body body, List<XlaOp> initValues) {
    int count = initValues.size();
    XlaOp result =
        builder.whileLoop(
            builder.tuple(initValues),
            carried -> condition.build(carried.builder(), elements(carried, count)),
            carried -> {
              XlaBuilder inner = carried.builder();
              return inner.tuple(body.build(inner, elements(carried, count)));
            });
    return elements(result, count);
  }

  private static List<XlaOp> elements(XlaOp tuple, int count) {
    return IntStream.range(0, count).mapToObj(tuple::getTupleElement).collect(toImmutableList());
  }

  /**
   * Repeats a body a fixed number of times.
   *
   * @param builder the builder of the values
   * @param numIterations the number of iterations, at least 0
   * @param indexType the integer type to count in
   * @param body maps the number of the iteration and the carried values to the next values
   * @param initValues the first values
   * @return the values after the last iteration
   * @throws HloException if the number is negative or beyond the type, the type is not an integer,
   *     or the body gives other shapes
   */
  public static List<XlaOp> forEachIndex(
      XlaBuilder builder,
      long numIterations,
      ElementType indexType,
      IndexedBody body,
      List<XlaOp> initValues) {
    requireCounter(numIterations, indexType);
    XlaOp first = builder.zeros(Shape.of(indexType));
    List<XlaOp> last =
        whileLoopHelper(
            builder,
            (inner, values) -> values.get(0).lt(inner.constant(indexType, numIterations)),
            (inner, values) -> {
              XlaOp index = values.get(0);
              List<XlaOp> next = body.build(inner, index, values.subList(1, values.size()));
              return before(index.add(inner.constant(indexType, 1)), next);
            },
            before(first, initValues));
    return last.subList(1, last.size());
  }

  private static void requireCounter(long numIterations, ElementType indexType) {
    require(
        indexType != null && indexType.isIntegral(),
        "",
        "forEachIndex: index type got %s, want an integer type",
        indexType);
    boolean fits = indexType.wrap(numIterations) == numIterations;
    require(
        numIterations >= 0 && fits,
        "",
        "forEachIndex: iterations got %s, want from 0 to what %s can hold",
        numIterations,
        indexType);
  }

  private static List<XlaOp> before(XlaOp first, List<XlaOp> others) {
    return ImmutableList.<XlaOp>builder().add(first).addAll(others).build();
  }
}
