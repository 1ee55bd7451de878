package org.hlo4j.interpreter.reference;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/**
 * Dots and convolutions of mixed types, such as an integer and a float: computed in the widest type
 * and converted once.
 */
final class MixedProducts {
  private MixedProducts() {}

  /** An op whose first two operands are multiplied. */
  interface Product {
    Literal of(List<Literal> in, Shape.Array shape);
  }

  static Literal of(List<Literal> in, Shape shape, Product product) {
    Shape.Array result = (Shape.Array) shape;
    ImmutableList<ElementType> factors =
        in.stream().limit(2).map(Literal::elementType).collect(toImmutableList());
    ElementType wide = widest(factors);
    if (Stream.concat(factors.stream(), Stream.of(result.elementType()))
        .allMatch(type -> sameArithmetic(type, wide))) {
      return product.of(in, result);
    }
    ImmutableList<Literal> widened =
        ImmutableList.<Literal>builder()
            .add(widened(in.get(0), wide))
            .add(widened(in.get(1), wide))
            .addAll(in.subList(2, in.size()))
            .build();
    return Conversions.convert(product.of(widened, result.withElementType(wide)), result);
  }

  private static ElementType widest(List<ElementType> types) {
    if (types.stream().anyMatch(ElementType::isComplex)) {
      return ElementType.C128;
    }
    return types.stream().anyMatch(ElementType::isFloating) ? ElementType.F64 : ElementType.S64;
  }

  private static Literal widened(Literal operand, ElementType wide) {
    return Conversions.convert(operand, operand.arrayShape().withElementType(wide));
  }

  private static boolean sameArithmetic(ElementType type, ElementType other) {
    return type.isComplex() == other.isComplex() && type.isFloating() == other.isFloating();
  }
}
