package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.ElementType.Kind.SIGNED;

import com.google.common.collect.ComparisonChain;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/** The element type of sums of products, whose operands may be of different types. */
final class ProductType {
  private ProductType() {}

  /** The one preferred, or that of the operand whose type holds more. */
  static ElementType of(Shape.Array left, Shape.Array right, Optional<ElementType> preferred) {
    ElementType lhs = left.elementType();
    ElementType rhs = right.elementType();
    return preferred.orElse(compare(lhs, rhs) < 0 ? rhs : lhs);
  }

  /** As XLA orders types by how much they hold: complex, float, integer; then range, then bits. */
  private static int compare(ElementType lhs, ElementType rhs) {
    return ComparisonChain.start()
        .compareFalseFirst(lhs.isComplex(), rhs.isComplex())
        .compareFalseFirst(lhs.isFloating(), rhs.isFloating())
        .compare(range(lhs), range(rhs))
        .compareFalseFirst(lhs.kind() == SIGNED, rhs.kind() == SIGNED)
        .result();
  }

  private static double range(ElementType type) {
    return type.isFloating() ? type.maxFinite() : type.bits();
  }
}
