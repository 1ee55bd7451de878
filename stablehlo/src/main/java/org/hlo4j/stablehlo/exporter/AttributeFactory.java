package org.hlo4j.stablehlo.exporter;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.stablehlo.dialect.Matrices;
import org.hlo4j.stablehlo.mlir.Attribute;
import org.hlo4j.stablehlo.mlir.Type;
import org.hlo4j.stablehlo.mlir.Types;

/** Factory methods of StableHLO attributes for values of HLO. */
final class AttributeFactory {
  private AttributeFactory() {}

  static ImmutableList<Long> list(Dims dims) {
    return dims.stream().boxed().collect(toImmutableList());
  }

  static Attribute ints(Dims dims) {
    return Attribute.DenseArray.i64(list(dims));
  }

  /** Returns a value of an enumeration of StableHLO. */
  static Attribute.Word word(String enumeration, String value) {
    return new Attribute.Word("stablehlo", enumeration, value);
  }

  static Attribute.Array array(List<? extends Attribute> elements) {
    return new Attribute.Array(ImmutableList.copyOf(elements));
  }

  /** Returns a matrix; shorter rows are padded with -1. */
  static Attribute.Dense matrix(List<Dims> rows) {
    int width = rows.stream().mapToInt(Dims::count).max().orElse(0);
    ImmutableList.Builder<Long> values = ImmutableList.builder();
    for (Dims row : rows) {
      values.addAll(list(row)).addAll(list(Dims.filled(width - row.count(), -1)));
    }
    return Matrices.of(values.build(), rows.size(), width);
  }

  /** Returns pairs, each a row. */
  static Attribute.Dense pairs(List<Dims> pairs) {
    return Matrices.ofPairs(
        pairs.stream().flatMap(pair -> list(pair).stream()).collect(toImmutableList()));
  }

  /** Returns the low and the high padding of each dimension; empty if all are zero. */
  static Optional<Attribute> padding(Dims low, Dims high) {
    if (low.concat(high).stream().allMatch(size -> size == 0)) {
      return Optional.empty();
    }
    return Optional.of(
        pairs(
            IntStream.range(0, low.count())
                .mapToObj(i -> Dims.of(low.get(i), high.get(i)))
                .toList()));
  }

  /** Returns a list of numbers that are 1 by default; empty if all of them are 1. */
  static Optional<Attribute> unlessOnes(Dims dims) {
    return dims.stream().allMatch(size -> size == 1) ? Optional.empty() : Optional.of(ints(dims));
  }

  /** Returns a constant; if all elements are equal, it is a splat. */
  static Attribute.Dense dense(Literal literal) {
    boolean splat = isSplat(literal);
    return new Attribute.Dense(
        ShapeTypes.tensor(literal.arrayShape()), splat, () -> splat ? first(literal) : literal);
  }

  /** Returns the constant of a type that has no elements. */
  static Attribute.Dense empty(Type.Tensor type) {
    ElementType element = Types.elementType(type.element()).orElseThrow();
    return dense(new LiteralBuilder(Shape.of(element, Dims.copyOf(type.sizes()))).build());
  }

  private static boolean isSplat(Literal literal) {
    int parts = literal.elementType().componentCount();
    int all = literal.elementCount() * parts;
    return literal.arrayShape().rank() > 0
        && all > 0
        && IntStream.range(parts, all)
            .allMatch(i -> literal.bitsAt(i) == literal.bitsAt(i % parts));
  }

  private static Literal first(Literal literal) {
    LiteralBuilder one = new LiteralBuilder(Shape.of(literal.elementType()));
    one.copy(0, literal, 0);
    return one.build();
  }

  /** Returns the one-dimensional constant with these elements. */
  static Attribute.Dense vector(Dims numbers) {
    return dense(literal(numbers));
  }

  /** Returns an order of dimensions in the form of a layout. */
  static Attribute.Dense layout(Dims order) {
    Literal elements = literal(order);
    return new Attribute.Dense(
        Type.Tensor.of(Type.Simple.INDEX, List.of((long) order.count())), false, () -> elements);
  }

  private static Literal literal(Dims numbers) {
    LiteralBuilder elements = new LiteralBuilder(Shape.of(ElementType.S64, numbers.count()));
    for (int i = 0; i < numbers.count(); i++) {
      elements.setLong(i, numbers.get(i));
    }
    return elements.build();
  }
}
