package org.hlo4j.interpreter.reference;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.math.RealMath;

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
                  ? Complex.order(Elements.complexAt(lhs, i), Elements.complexAt(rhs, i))
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
   * Compares in the order -NaN, -inf, ..., -0, +0, ..., +inf, +NaN. NaNs of f32 and f64 are ordered
   * by their bits. f32 is compared without conversion to double, which would make a signalling NaN
   * quiet.
   */
  static int totalOrder(Literal lhs, int i, Literal rhs, int j) {
    return lhs.elementType() == ElementType.F32
        ? Integer.compare(totalOrderKey((int) lhs.bitsAt(i)), totalOrderKey((int) rhs.bitsAt(j)))
        : RealMath.totalOrderCompare(lhs.doubleAt(i), rhs.doubleAt(j));
  }

  private static int totalOrderKey(int bits) {
    return bits ^ ((bits >> 31) >>> 1);
  }
}
