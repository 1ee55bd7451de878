package org.hlo4j.check.compare;

import static org.hlo4j.interpreter.reference.linalg.ComplexArray.complexAt;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
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

  /** What chooses one of the rows that are left for an element. */
  @FunctionalInterface
  private interface Chooser {
    List<Literal> of(OpenBlock block, List<List<Literal>> left, int element);
  }

  /**
   * Returns the arrays of a result in which each element has the row that is nearest to other
   * arrays, of which some are known.
   */
  static List<Literal> nearest(
      List<OpenBlock> blocks, List<Literal> arrays, List<Optional<Literal>> wanted) {
    return chosen(
        blocks,
        arrays,
        (block, left, element) ->
            left.stream()
                .min(Comparator.comparingDouble(each -> distance(each, wanted, element)))
                .orElseGet(() -> block.likeWanted(arrays, wanted, element)));
  }

  private List<Literal> likeWanted(
      List<Literal> arrays, List<Optional<Literal>> wanted, int element) {
    return parts(arrays.size())
        .mapToObj(i -> scalar(wanted.get(i).orElse(arrays.get(i)), element))
        .toList();
  }

  /** Returns the arrays of a result in which each element has another of its values. */
  static List<Literal> other(List<OpenBlock> blocks, List<Literal> arrays, int choice) {
    SplittableRandom random = new SplittableRandom(choice);
    return chosen(
        blocks,
        arrays,
        (block, left, element) ->
            left.isEmpty()
                ? block
                    .parts(arrays.size())
                    .mapToObj(i -> filling(arrays.get(i).elementType(), choice, random))
                    .toList()
                : left.get((choice + 1) % left.size()));
  }

  private static List<Literal> chosen(
      List<OpenBlock> blocks, List<Literal> arrays, Chooser chooser) {
    List<LiteralBuilder> results = new ArrayList<>();
    for (Literal array : arrays) {
      LiteralBuilder copy = new LiteralBuilder(array.arrayShape());
      IntStream.range(0, array.elementCount()).forEach(i -> copy.copy(i, array, i));
      results.add(copy);
    }
    for (OpenBlock block : blocks) {
      List<List<Literal>> left = new ArrayList<>(block.rows);
      for (int element : block.elements) {
        List<Literal> row = chooser.of(block, left, element);
        left.remove(row);
        int[] parts = block.parts(arrays.size()).toArray();
        IntStream.range(0, row.size())
            .forEach(i -> results.get(parts[i]).copy(element, row.get(i), 0));
      }
    }
    return results.stream().map(LiteralBuilder::build).toList();
  }

  private IntStream parts(int arrays) {
    return part < 0 ? IntStream.range(0, arrays) : IntStream.of(part);
  }

  /** Returns a number, one at the end of the range, or zero. */
  private static Literal filling(ElementType whole, int choice, SplittableRandom random) {
    ElementType type = whole.componentType();
    long beyond =
        !type.isFloating()
            ? -1L >>> (Long.SIZE - type.bits())
            : type.encode(type.hasNaN() ? Double.NaN : type.maxFinite());
    return choice == 0
        ? Values.random(Shape.of(whole), random)
        : Literal.ofBits(Shape.of(whole), i -> choice == 1 ? beyond : 0);
  }

  private static double distance(List<Literal> row, List<Optional<Literal>> wanted, int element) {
    double distance = 0;
    for (int i = 0; i < row.size(); i++) {
      Literal one = row.get(i);
      distance += wanted.get(i).map(all -> distance(one, scalar(all, element))).orElse(0.0);
    }
    return distance;
  }

  private static double distance(Literal one, Literal other) {
    double distance =
        one.elementType().isIntegral() ? 1 : complexAt(one, 0).minus(complexAt(other, 0)).abs();
    return one.equals(other)
        ? 0
        : Double.isNaN(distance) ? Double.MAX_VALUE : Math.max(distance, 1e-300);
  }
}
