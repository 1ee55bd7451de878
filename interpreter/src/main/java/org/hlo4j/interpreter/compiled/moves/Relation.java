package org.hlo4j.interpreter.compiled.moves;

import org.hlo4j.hlo.op.Compare;

/**
 * A relation between carriers, in some order.
 *
 * @param direction which relation
 * @param type in which order
 */
record Relation(Compare.Direction direction, Compare.Type type) {
  private static final int UNORDERED = 2;

  boolean holds(long lhs, long rhs) {
    int order =
        switch (type) {
          case SIGNED -> Long.compare(lhs, rhs);
          case UNSIGNED -> Long.compareUnsigned(lhs, rhs);
          case TOTALORDER -> Long.compare(totalOrderKey(lhs), totalOrderKey(rhs));
          case FLOAT -> order(Double.longBitsToDouble(lhs), Double.longBitsToDouble(rhs));
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

  /** Longs ordered as the doubles of these bits are: -NaN, -inf ... -0, 0 ... inf, NaN. */
  static long totalOrderKey(long bits) {
    return bits ^ ((bits >> 63) >>> 1);
  }

  private static int order(double lhs, double rhs) {
    return lhs < rhs ? -1 : lhs > rhs ? 1 : lhs == rhs ? 0 : UNORDERED;
  }
}
