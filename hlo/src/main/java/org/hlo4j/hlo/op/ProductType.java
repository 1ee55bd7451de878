package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.ElementType.Kind.SIGNED;

import com.google.common.collect.ComparisonChain;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/** The result element type of a contraction, whose operands may have different types. */
final class ProductType {
  private ProductType() {}

  /** Returns the one preferred, or that of the operand whose type holds more. */
  static ElementType of(Shape.Array left, Shape.Array right, Optional<ElementType> preferred) {
    ElementType lhs = left.elementType();
    ElementType rhs = right.elementType();
    return preferred.orElse(compare(lhs, rhs) < 0 ? rhs : lhs);
  }

  /**
   * Compares types in XLA's order of how much they can hold: complex, float, integer; then range,
   * then bits.
   */
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
