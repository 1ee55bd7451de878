package org.hlo4j.builder.lib;

import static org.hlo4j.builder.lib.common.Checks.require;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;

/**
 * Comparators for sorting several arrays together, as in XLA's {@code lib/comparators.h}.
 *
 * <p>A comparator has two parameters for each array: 2i and 2i + 1 are elements of array i. Floats
 * are compared in total order: {@code -NaN < -inf < ... < -0 < 0 < ... < inf < NaN}.
 */
public final class Comparators {
  private Comparators() {}

  /**
   * Returns whether the first array's element is less, for sorting in ascending order by only the
   * first array.
   *
   * @param types the element types of the arrays
   * @param builder the builder in whose module it is to be called
   * @return the computation, to pred
   * @throws HloException if there is no array, or the first is complex
   */
  public static HloComputation createScalarLtComputation(
      List<ElementType> types, XlaBuilder builder) {
    return byFirst("compare-less-than", types, XlaOp::ltTotalOrder, builder);
  }

  /**
   * Returns whether the first array's element is greater, for sorting in descending order by only
   * the first array.
   *
   * @param types the element types of the arrays
   * @param builder the builder in whose module it is to be called
   * @return the computation, to pred
   * @throws HloException if there is no array, or the first is complex
   */
  public static HloComputation createScalarGtComputation(
      List<ElementType> types, XlaBuilder builder) {
    return byFirst("compare-greater-than", types, XlaOp::gtTotalOrder, builder);
  }

  private static HloComputation byFirst(
      String name, List<ElementType> types, BinaryOperator<XlaOp> order, XlaBuilder builder) {
    List<Optional<BinaryOperator<XlaOp>>> generators = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      generators.add(i == 0 ? Optional.of(order) : Optional.empty());
    }
    return createScalarComparisonComputation(name, types, generators, builder);
  }

  /**
   * Compares by the first array that has a comparator; where its elements are equal, by the next
   * one that has a comparator, and so on.
   *
   * @param name the name of the computation
   * @param types the element types of the arrays
   * @param generators for each array whether its first element comes before its second, or nothing
   *     to pass the array over; such as {@code XlaOp::ltTotalOrder}
   * @param builder the builder in whose module it is to be called
   * @return the computation, to pred
   * @throws HloException if the lists differ in size, no array has an order, or an order does not
   *     take its type
   */
  public static HloComputation createScalarComparisonComputation(
      String name,
      List<ElementType> types,
      List<Optional<BinaryOperator<XlaOp>>> generators,
      XlaBuilder builder) {
    require(
        types.size() == generators.size(),
        "",
        "comparator %s: orders got %s, want one or none for each of the %s arrays",
        name,
        generators.size(),
        types.size());
    require(
        generators.stream().anyMatch(Optional::isPresent),
        "",
        "comparator %s: got no order, want one at least",
        name);
    List<Shape> parameters = new ArrayList<>();
    types.forEach(type -> parameters.addAll(List.of(Shape.of(type), Shape.of(type))));
    return builder.computation(name, parameters, (inner, p) -> lexicographic(p, generators));
  }

  /** From the last array to the first: {@code result = equal_i ? result : order_i}. */
  private static XlaOp lexicographic(
      List<XlaOp> p, List<Optional<BinaryOperator<XlaOp>>> generators) {
    Optional<XlaOp> result = Optional.empty();
    for (int i = generators.size() - 1; i >= 0; i--) {
      XlaOp lhs = p.get(2 * i);
      XlaOp rhs = p.get(2 * i + 1);
      Optional<XlaOp> rest = result;
      Optional<XlaOp> here =
          generators
              .get(i)
              .map(order -> order.apply(lhs, rhs))
              .map(first ->
                  rest.map(then -> lhs.eqTotalOrder(rhs).select(then, first)).orElse(first));
      result = here.or(() -> rest);
    }
    return result.orElseThrow();
  }
}
