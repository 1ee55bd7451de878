package org.hlo4j.interpreter.compiled.lanes;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.Compare;

/** Comparisons of elements in the order that their type, or the op, says. */
final class LaneComparisons {
  private LaneComparisons() {}

  static Value compare(Lanes lanes, Compare op, ElementType type, Value lhs, Value rhs) {
    Relation relation =
        switch (op.direction()) {
          case EQ -> Relation.EQ;
          case NE -> Relation.NE;
          case LT -> Relation.LT;
          case LE -> Relation.LE;
          case GT -> Relation.GT;
          case GE -> Relation.GE;
        };
    return switch (type.kind()) {
      case PRED -> masks(lanes, relation, lhs, rhs);
      case SIGNED, UNSIGNED -> lanes.compare(IntegerFunctions.relation(type, relation), lhs, rhs);
      case FLOAT ->
          op.typeFor(type) == Compare.Type.TOTALORDER
              ? lanes.compare(relation, totalOrder(lanes, type, lhs), totalOrder(lanes, type, rhs))
              : lanes.compare(relation, lhs, rhs);
      case COMPLEX -> throw new UnsupportedOperationException("no code for " + type);
    };
  }

  /** True is greater than false. */
  private static Value masks(Lanes lanes, Relation relation, Value lhs, Value rhs) {
    return switch (relation) {
      case EQ -> lanes.not(lanes.xor(lhs, rhs));
      case NE -> lanes.xor(lhs, rhs);
      case LT, ULT -> lanes.and(lanes.not(lhs), rhs);
      case LE, ULE -> lanes.or(lanes.not(lhs), rhs);
      case GT, UGT -> lanes.and(lhs, lanes.not(rhs));
      case GE, UGE -> lanes.or(lhs, lanes.not(rhs));
    };
  }

  /**
   * An integer that is ordered as the float: its bits, of negative ones all but the sign turned.
   */
  static Value totalOrder(Lanes lanes, ElementType type, Value value) {
    Value bits = lanes.reinterpret(NarrowFloats.isNarrow(type) ? oneNaN(lanes, value) : value);
    int last = bits.lane().bits() - 1;
    Value turned = lanes.shiftRightLogical(lanes.shiftRight(bits, last), 1);
    return lanes.xor(bits, turned);
  }

  /** Narrow types know one NaN of each sign. */
  private static Value oneNaN(Lanes lanes, Value value) {
    Value isNaN = lanes.compare(Relation.NE, value, value);
    Value nan = FloatFunctions.withSign(lanes, lanes.constant(Lane.F32, Float.NaN), value);
    return lanes.select(isNaN, nan, value);
  }
}
