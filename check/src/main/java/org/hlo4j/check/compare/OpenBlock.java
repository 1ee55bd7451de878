package org.hlo4j.check.compare;

import static java.util.Comparator.comparingDouble;
import static org.hlo4j.interpreter.reference.linalg.ComplexArray.complexAt;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.hlo4j.check.part.Values;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/**
 * Elements of a result that may have other values. Each takes one row, and no row is taken twice.
 *
 * @param part the number of the array that they are in; -1 if they are in all arrays of the result
 * @param elements where in it they are
 * @param rows the values, one for each of the arrays; none if they may have any
 */
record OpenBlock(int part, List<Integer> elements, List<List<Literal>> rows) {
  /** An element of all arrays, and its values. */
  OpenBlock(int element, List<List<Literal>> rows) {
    this(-1, List.of(element), rows);
  }

  /** An element of one array, and its values. */
  static OpenBlock ofScalars(int element, List<Literal> values) {
    return new OpenBlock(element, values.stream().map(List::of).toList());
  }

  static List<Literal> row(List<Literal> arrays, int element) {
    return arrays.stream().map(array -> scalar(array, element)).toList();
  }

  static Literal scalar(Literal array, int element) {
    return array.taken(Shape.of(array.elementType()), i -> element);
  }

  /**
   * Returns the arrays of a result in which each element has the row that is nearest to other
   * arrays, of which some are known, by their numbers.
   */
  static List<Literal> nearest(
      List<OpenBlock> blocks, List<Literal> arrays, Map<Integer, Literal> wanted) {
    List<Literal> others =
        IntStream.range(0, arrays.size())
            .mapToObj(i -> wanted.getOrDefault(i, arrays.get(i)))
            .toList();
    return chosen(
        blocks,
        arrays,
        others,
        (left, element) ->
            Collections.min(left, comparingDouble(row -> distance(row, wanted, element))));
  }

  /** Returns the arrays of a result in which each element has another of its values. */
  static List<Literal> other(List<OpenBlock> blocks, List<Literal> arrays, int choice) {
    SplittableRandom random = new SplittableRandom(choice);
    List<Literal> others =
        arrays.stream().map(each -> filled(each.arrayShape(), choice, random)).toList();
    return chosen(blocks, arrays, others, (left, element) -> left.get((choice + 1) % left.size()));
  }

  /**
   * Returns the arrays of a result with others of its values.
   *
   * @param others where those are that may have any value
   * @param chooser chooses one of the rows that are left for an element
   */
  private static List<Literal> chosen(
      List<OpenBlock> blocks,
      List<Literal> arrays,
      List<Literal> others,
      BiFunction<List<List<Literal>>, Integer, List<Literal>> chooser) {
    List<LiteralBuilder> results = new ArrayList<>();
    for (Literal array : arrays) {
      LiteralBuilder copy = new LiteralBuilder(array.arrayShape());
      IntStream.range(0, array.elementCount()).forEach(i -> copy.copy(i, array, i));
      results.add(copy);
    }
    for (OpenBlock block : blocks) {
      List<List<Literal>> left = new ArrayList<>(block.rows);
      for (int element : block.elements) {
        if (left.isEmpty()) {
          IntStream.range(0, arrays.size())
              .filter(i -> block.part < 0 || block.part == i)
              .forEach(i -> results.get(i).copy(element, others.get(i), element));
        } else {
          List<Literal> row = chooser.apply(left, element);
          left.remove(row);
          IntStream.range(0, row.size()).forEach(i -> results.get(i).copy(element, row.get(i), 0));
        }
      }
    }
    return results.stream().map(LiteralBuilder::build).toList();
  }

  /** Returns an array of numbers, of the end of the range, or zeros. */
  private static Literal filled(Shape.Array shape, int choice, SplittableRandom random) {
    ElementType type = shape.elementType().componentType();
    long beyond =
        !type.isFloating()
            ? -1L >>> (Long.SIZE - type.bits())
            : type.encode(type.hasNaN() ? Double.NaN : type.maxFinite());
    return choice == 0
        ? Values.random(shape, random)
        : Literal.ofBits(shape, i -> choice == 1 ? beyond : 0);
  }

  private static double distance(List<Literal> row, Map<Integer, Literal> wanted, int element) {
    return wanted.entrySet().stream()
        .mapToDouble(each -> distance(row.get(each.getKey()), scalar(each.getValue(), element)))
        .sum();
  }

  private static double distance(Literal one, Literal other) {
    double distance =
        one.elementType().isIntegral() ? 1 : complexAt(one, 0).minus(complexAt(other, 0)).abs();
    return one.equals(other)
        ? 0
        : Double.isNaN(distance) ? Double.MAX_VALUE : Math.max(distance, 1e-300);
  }
}
