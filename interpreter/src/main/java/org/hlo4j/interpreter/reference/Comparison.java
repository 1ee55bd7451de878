package org.hlo4j.interpreter.reference;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.math.RealMath;

/**
 * A relation between elements, in some order.
 *
 * @param direction which relation
 * @param type in which order
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
   * -NaN, -inf, ..., -0, +0, ..., +inf, +NaN. One NaN of f32 or f64 comes before another as its
   * bits do, and a signalling one before those that are not, which it would become as a double.
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
