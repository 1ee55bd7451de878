package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Sort;

/** Elements of a result that may have some other values, but not any. */
final class OpenBlocks {
  /** How often a combiner is applied at most; what is beyond may have any value. */
  private static final int MAX_APPLICATIONS = 4000;

  private OpenBlocks() {}

  /**
   * Elements and the values that they may have. Each takes one row, and no row is taken twice.
   *
   * @param elements where they are in the arrays of a result
   * @param rows the values, one for each array; none if they may have any
   */
  record Block(ImmutableList<Integer> elements, ImmutableList<List<Literal>> rows) {}

  /** Finds the blocks. */
  @FunctionalInterface
  interface Finder {
    /** Returns the blocks of a result. */
    List<Block> of(OpenElements.Made made);
  }

  /** Equal keys, which a sort may leave in any order. */
  static List<Block> ties(OpenElements.Made made) {
    int dimension = ((Sort) made.instruction().op()).dimensions().getInt(0);
    Dims sizes = made.result().arrayShape().sizes();
    int size = (int) sizes.get(dimension);
    int stride = (int) sizes.rowMajorStrides().get(dimension);
    int count = made.result().elementCount();
    BitSet isBefore =
        new Combiner(made.instruction().called().get(0))
            .compared(made.results(), i -> i / stride % size + 1 < size ? i + stride : i, count);
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boolean isFirst = i / stride % size == 0 || isBefore.get(i - stride);
      int end = i;
      while (isFirst && end / stride % size + 1 < size && !isBefore.get(end)) {
        end += stride;
      }
      int last = end;
      if (last > i) {
        ImmutableList<Integer> elements =
            IntStream.iterate(i, at -> at <= last, at -> at + stride)
                .boxed()
                .collect(ImmutableList.toImmutableList());
        blocks.add(
            new Block(
                elements,
                elements.stream()
                    .map(at -> row(made.results(), at))
                    .collect(ImmutableList.toImmutableList())));
      }
    }
    return blocks;
  }

  /** Elements of which a scatter updates each more than once, in any order. */
  static List<Block> updates(OpenElements.Made made) {
    int count = made.results().size();
    List<Literal> updates = made.operands().subList(count + 1, 2 * count + 1);
    Combiner combiner = new Combiner(made.instruction().called().get(0));
    List<Block> blocks = new ArrayList<>();
    int[] applications = {MAX_APPLICATIONS};
    new ScatterTargets((Scatter) made.instruction().op(), made.operands())
        .updates()
        .asMap()
        .forEach((target, of) -> {
          if (of.size() > 1) {
            List<Literal> start = row(made.operands().subList(0, count), target);
            List<List<Literal>> rows = of.stream().map(update -> row(updates, update)).toList();
            blocks.add(
                new Block(ImmutableList.of(target), combiner.inOrders(start, rows, applications)));
          }
        });
    return blocks;
  }

  /** {@code 1 / (1 + exp(-x))} is 0 if exp(-x) overflows in the type. */
  static List<Block> overflowingLogistic(OpenElements.Made made) {
    ElementType type = made.result().elementType();
    Literal zero = Literal.zeros(Shape.of(type));
    return IntStream.range(0, made.result().elementCount())
        .filter(i ->
            Math.exp(-made.operand(0).doubleAt(i)) > type.maxFinite()
                && made.result().doubleAt(i) > 0)
        .mapToObj(i -> block(i, List.of(scalar(made.result(), i), zero)))
        .toList();
  }

  /**
   * A function may be on either side of a branch cut where a part of z is a negative zero: {@code
   * f(conj(z)) = conj(f(z))}, and if there is a cut on the imaginary axis, f is odd.
   */
  static List<Block> branchCuts(OpenElements.Made made) {
    Literal value = made.result();
    boolean isUnary = made.operands().size() == 1 && value.elementType().isComplex();
    return IntStream.range(0, isUnary ? value.elementCount() : 0)
        .filter(i -> OpenElements.isFinite(made.operand(0), i) && OpenElements.isFinite(value, i))
        .mapToObj(i -> {
          Literal z = made.operand(0);
          List<Literal> sides = new ArrayList<>(List.of(scalar(value, i)));
          if (OpenElements.isNegativeZero(OpenElements.imaginary(z, i))) {
            sides.add(negated(sides.get(0), 1));
          }
          if (OpenElements.isNegativeZero(OpenElements.real(z, i))) {
            List.copyOf(sides).forEach(each -> sides.add(negated(each, 0)));
          }
          return block(i, sides);
        })
        .filter(each -> each.rows().size() > 1)
        .toList();
  }

  private static Literal negated(Literal scalar, int part) {
    ElementType type = scalar.elementType().componentType();
    long sign = 1L << (type.bits() - 1);
    return Literal.ofBits(
        scalar.arrayShape(), i -> i == part ? scalar.bitsAt(i) ^ sign : scalar.bitsAt(i));
  }

  private static Block block(int element, List<Literal> values) {
    return new Block(
        ImmutableList.of(element),
        values.stream().map(List::of).collect(ImmutableList.toImmutableList()));
  }

  static List<Literal> row(List<Literal> arrays, int element) {
    return arrays.stream().map(array -> scalar(array, element)).toList();
  }

  private static Literal scalar(Literal array, int element) {
    return array.taken(Shape.of(array.elementType()), i -> element);
  }

  /**
   * Returns the arrays of a result in which each element has the row that is nearest to other
   * arrays, of which some are known.
   */
  static List<Literal> nearest(
      List<Block> blocks, List<Literal> arrays, List<Optional<Literal>> wanted) {
    List<LiteralBuilder> results = arrays.stream().map(OpenRuns::copy).toList();
    for (Block block : blocks) {
      List<List<Literal>> left = new ArrayList<>(block.rows());
      for (int element : block.elements()) {
        List<Literal> row =
            left.stream()
                .min(Comparator.comparingDouble(each -> distance(each, wanted, element)))
                .orElseGet(() ->
                    IntStream.range(0, arrays.size())
                        .mapToObj(i -> scalar(wanted.get(i).orElse(arrays.get(i)), element))
                        .toList());
        left.remove(row);
        put(results, element, row);
      }
    }
    return results.stream().map(LiteralBuilder::build).toList();
  }

  /** Returns the arrays of a result in which each block has the next of its rows. */
  static List<Literal> other(List<Block> blocks, List<Literal> arrays, int choice) {
    List<LiteralBuilder> results = arrays.stream().map(OpenRuns::copy).toList();
    for (Block block : blocks) {
      int count = block.rows().size();
      for (int i = 0; i < block.elements().size(); i++) {
        List<Literal> row =
            count == 0
                ? row(arrays.stream().map(each -> Literal.zeros(each.arrayShape())).toList(), 0)
                : block.rows().get((i + choice) % count);
        put(results, block.elements().get(i), row);
      }
    }
    return results.stream().map(LiteralBuilder::build).toList();
  }

  private static void put(List<LiteralBuilder> results, int element, List<Literal> row) {
    for (int i = 0; i < results.size(); i++) {
      results.get(i).copy(element, row.get(i), 0);
    }
  }

  private static double distance(List<Literal> row, List<Optional<Literal>> wanted, int element) {
    double distance = 0;
    for (int i = 0; i < row.size(); i++) {
      if (wanted.get(i).isPresent()) {
        distance += distance(row.get(i), scalar(wanted.get(i).get(), element));
      }
    }
    return distance;
  }

  private static double distance(Literal one, Literal other) {
    ElementType type = one.elementType().componentType();
    double distance = 0;
    for (int part = 0; part < one.elementType().componentCount(); part++) {
      double by =
          type.isFloating()
              ? Math.abs(type.decode(one.bitsAt(part)) - type.decode(other.bitsAt(part)))
              : 1;
      boolean isSame = one.bitsAt(part) == other.bitsAt(part);
      distance += isSame ? 0 : Double.isNaN(by) ? Double.MAX_VALUE : Math.max(by, 1e-300);
    }
    return distance;
  }
}
