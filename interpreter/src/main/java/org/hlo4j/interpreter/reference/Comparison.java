package org.hlo4j.interpreter.reference;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.math.RealMath;
import org.hlo4j.interpreter.reference.linalg.ComplexArray;

/**
 * A comparison of elements in some order.
 *
 * @param direction the relation
 * @param type the order
 */
record Comparison(Compare.Direction direction, Compare.Type type) {
  boolean holds(Literal lhs, Literal rhs, int i) {
    int order =
        switch (type) {
          case SIGNED -> Integer.signum(Long.compare(lhs.longAt(i), rhs.longAt(i)));
          case UNSIGNED -> Integer.signum(Long.compareUnsigned(lhs.longAt(i), rhs.longAt(i)));
          case TOTALORDER -> Integer.signum(totalOrder(lhs, i, rhs, i));
          case FLOAT ->
              lhs.elementType().isComplex()
                  ? Complex.order(ComplexArray.complexAt(lhs, i), ComplexArray.complexAt(rhs, i))
                  : Complex.order(lhs.doubleAt(i), rhs.doubleAt(i));
        };
    return switch (direction) {
      case EQ -> order == 0;
      case NE -> order != 0;
      case GE -> order == 0 || order == 1;
      case GT -> order == 1;
      case LE -> order == 0 || order == -1;
      case LT -> order == -1;
    };
  }

  /**
   * Compares in the order -NaN, -inf, ..., -0, +0, ..., +inf, +NaN. NaNs are ordered by their bits,
   * which are compared without conversion to double: this would make a signalling NaN quiet. A type
   * without infinities has one NaN at most.
   */
  static int totalOrder(Literal lhs, int i, Literal rhs, int j) {
    ElementType type = lhs.elementType();
    return type.hasInfinity()
        ? Long.compare(totalOrderKey(type, lhs.bitsAt(i)), totalOrderKey(type, rhs.bitsAt(j)))
        : RealMath.totalOrderCompare(lhs.doubleAt(i), rhs.doubleAt(j));
  }

  private static long totalOrderKey(ElementType type, long bits) {
    long extended = bits << -type.bits() >> -type.bits();
    return extended ^ ((extended >> -1) >>> 1);
  }
}
