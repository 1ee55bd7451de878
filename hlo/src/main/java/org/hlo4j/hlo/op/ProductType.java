package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/** The element type of sums of products. */
final class ProductType {
  private ProductType() {}

  /** That of the operands, or the one preferred: of the same kind, and no narrower integer. */
  static ElementType of(
      String label, Shape.Array left, Shape.Array right, Optional<ElementType> preferred) {
    ElementType lhs = left.elementType();
    ElementType rhs = right.elementType();
    require(
        lhs == rhs || preferred.isPresent(),
        label,
        "element types got %s and %s, want the same, or a preferred element type",
        lhs,
        rhs);
    ElementType type = preferred.orElse(lhs);
    require(
        (lhs.kind() == rhs.kind() && type.kind() == lhs.kind())
            || (lhs.isIntegral() && rhs.isIntegral() && type.isIntegral()),
        label,
        "element types got %s and %s to %s, want all integers, all floats or all complex",
        lhs,
        rhs,
        type);
    require(
        !type.isIntegral() || type.bits() >= Math.max(lhs.bits(), rhs.bits()),
        label,
        "preferred element type got %s, want one not narrower than %s and %s",
        type,
        lhs,
        rhs);
    return type;
  }
}
