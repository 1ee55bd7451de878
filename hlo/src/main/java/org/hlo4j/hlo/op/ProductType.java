package org.hlo4j.hlo.op;

import java.util.Comparator;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/** The element type of sums of products, whose operands may be of different types. */
final class ProductType {
  /** As XLA orders types by how much they hold: complex, float, integer; then range, then bits. */
  private static final Comparator<ElementType> PRECISION =
      Comparator.comparing(ElementType::isComplex)
          .thenComparing(ElementType::isFloating)
          .thenComparing(type -> type.isFloating() ? type.maxFinite() : type.bits())
          .thenComparing(type -> type.kind() == ElementType.Kind.SIGNED);

  private ProductType() {}

  /** The one preferred, or that of the operand whose type holds more. */
  static ElementType of(Shape.Array left, Shape.Array right, Optional<ElementType> preferred) {
    ElementType lhs = left.elementType();
    ElementType rhs = right.elementType();
    return preferred.orElse(PRECISION.compare(lhs, rhs) < 0 ? rhs : lhs);
  }
}
