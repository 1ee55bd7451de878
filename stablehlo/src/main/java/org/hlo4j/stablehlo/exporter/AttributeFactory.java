package org.hlo4j.stablehlo.exporter;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
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

  static Attribute.Array array(List<? extends Attribute> elements) {
    return new Attribute.Array(ImmutableList.copyOf(elements));
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
