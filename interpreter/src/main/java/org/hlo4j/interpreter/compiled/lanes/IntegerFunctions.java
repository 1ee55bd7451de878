package org.hlo4j.interpreter.compiled.lanes;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.math.Integers;

/** Functions of integers as HLO has them; carriers are extended as the type says. */
final class IntegerFunctions {
  private IntegerFunctions() {}

  static boolean isUnsigned(ElementType type) {
    return type.kind() == ElementType.Kind.UNSIGNED;
  }

  /** Whether the carrier of an unsigned type may look negative. */
  private static boolean mayLookNegative(ElementType type) {
    return isUnsigned(type) && type.bits() >= 32;
  }

  private static int laneBits(Value value) {
    return value.lane().bits();
  }

  /** Any carrier reduced to the type. */
  static Value wrap(Lanes lanes, ElementType type, Value value) {
    return isUnsigned(type) ? zeroExtended(lanes, type, value) : signExtended(lanes, type, value);
  }

  static Value zeroExtended(Lanes lanes, ElementType type, Value value) {
    if (type.bits() == laneBits(value)) {
      return value;
    }
    return lanes.and(value, lanes.constant(value.lane(), (1L << type.bits()) - 1));
  }

  static Value signExtended(Lanes lanes, ElementType type, Value value) {
    int above = laneBits(value) - type.bits();
    return above == 0 ? value : lanes.shiftRight(lanes.shiftLeft(value, above), above);
  }

  static Value maximum(Lanes lanes, ElementType type, Value a, Value b) {
    return mayLookNegative(type) ? lanes.maxUnsigned(a, b) : lanes.max(a, b);
  }

  static Value minimum(Lanes lanes, ElementType type, Value a, Value b) {
    return mayLookNegative(type) ? lanes.minUnsigned(a, b) : lanes.min(a, b);
  }

  /** The relation of carriers that is that of the numbers. */
  static Relation relation(ElementType type, Relation signed) {
    if (!mayLookNegative(type)) {
      return signed;
    }
    return switch (signed) {
      case EQ, NE, ULT, ULE, UGT, UGE -> signed;
      case LT -> Relation.ULT;
      case LE -> Relation.ULE;
      case GT -> Relation.UGT;
      case GE -> Relation.UGE;
    };
  }

  static Value divide(Lanes lanes, ElementType type, Value a, Value b) {
    if (!lanes.canCall() && type.bits() <= 32) {
      return quotient(lanes, type, a, b);
    }
    String method = isUnsigned(type) ? "divideUnsigned" : "divide";
    return lanes.call(divider(a), method, a.lane(), a, b);
  }

  static Value remainder(Lanes lanes, ElementType type, Value a, Value b) {
    if (!lanes.canCall() && type.bits() <= 32) {
      return lanes.subtract(a, lanes.multiply(quotient(lanes, type, a, b), b));
    }
    boolean unsigned = isUnsigned(type);
    Class<?> owner = unsigned ? ScalarCalls.class : divider(a);
    return lanes.call(owner, unsigned ? "remainderUnsigned" : "remainder", a.lane(), a, b);
  }

  /**
   * Vectors divide floats only. Those of 24 bits never round a quotient of 16-bit integers up to
   * the next integer, nor do those of 53 bits one of 32-bit integers. By zero -1, whose multiple
   * leaves all of the dividend.
   */
  private static Value quotient(Lanes lanes, ElementType type, Value a, Value b) {
    Lane lane = type.bits() <= 16 ? Lane.F32 : Lane.F64;
    Value whole =
        mayLookNegative(type)
            ? wholeUnsigned(
                lanes,
                lanes.divide(
                    LaneConversions.unsigned(lanes, a), LaneConversions.unsigned(lanes, b)))
            : whole(lanes, lanes.divide(lanes.convert(a, lane), lanes.convert(b, lane)));
    Value isZero = lanes.compare(Relation.EQ, b, lanes.constant(Lane.I32, 0));
    return lanes.select(isZero, lanes.constant(Lane.I32, -1), whole);
  }

  /** The least integer by -1 is one more than the greatest, and becomes the least. */
  private static Value whole(Lanes lanes, Value quotient) {
    Value isTooLarge =
        lanes.compare(Relation.GE, quotient, lanes.constant(quotient.lane(), 0x1p31));
    Value least = lanes.constant(Lane.I32, Integer.MIN_VALUE);
    return lanes.select(isTooLarge, least, lanes.convert(quotient, Lane.I32));
  }

  private static Value wholeUnsigned(Lanes lanes, Value quotient) {
    Value below = lanes.subtract(lanes.floor(quotient), lanes.constant(Lane.F64, 0x1p31));
    return flippedSign(lanes, lanes.convert(below, Lane.I32));
  }

  /** The sign bit turned: 0 becomes the least number. */
  static Value flippedSign(Lanes lanes, Value value) {
    return lanes.xor(value, lanes.constant(value.lane(), 1L << (laneBits(value) - 1)));
  }

  private static Class<?> divider(Value value) {
    return value.lane() == Lane.I64 ? Integers.class : ScalarCalls.class;
  }

  static Value power(Lanes lanes, ElementType type, Value a, Value b) {
    String method = isUnsigned(type) ? "powerUnsigned" : "power";
    Value base = widened(lanes, type, a);
    Value power = lanes.call(Integers.class, method, Lane.I64, base, widened(lanes, type, b));
    return lanes.convert(power, a.lane());
  }

  /** In lane I64. */
  static Value widened(Lanes lanes, ElementType type, Value value) {
    return value.lane() == Lane.I32 && isUnsigned(type)
        ? lanes.extendUnsigned(value)
        : lanes.convert(value, Lane.I64);
  }

  static Value multiplyHigh(Lanes lanes, ElementType type, Value a, Value b) {
    if (type.bits() == 64) {
      String method = isUnsigned(type) ? "unsignedMultiplyHigh" : "multiplyHigh";
      return lanes.call(Math.class, method, Lane.I64, a, b);
    } else if (type.bits() == 32) {
      Value product = lanes.multiply(widened(lanes, type, a), widened(lanes, type, b));
      return lanes.convert(lanes.shiftRight(product, 32), Lane.I32);
    }
    return lanes.shiftRight(lanes.multiply(a, b), type.bits());
  }

  static Value countLeadingZeros(Lanes lanes, ElementType type, Value value) {
    int above = laneBits(value) - type.bits();
    if (above == 0) {
      return lanes.leadingZeros(value);
    }
    Value end = lanes.constant(value.lane(), 1L << (above - 1));
    return lanes.leadingZeros(lanes.or(lanes.shiftLeft(value, above), end));
  }

  static Value populationCount(Lanes lanes, ElementType type, Value value) {
    return lanes.bitCount(zeroExtended(lanes, type, value));
  }

  static Value shiftLeft(Lanes lanes, ElementType type, Value value, Value amount) {
    return zeroIfWide(lanes, type, lanes.shiftLeft(value, amount), amount);
  }

  static Value shiftRightLogical(Lanes lanes, ElementType type, Value value, Value amount) {
    Value bits = zeroExtended(lanes, type, value);
    return zeroIfWide(lanes, type, lanes.shiftRightLogical(bits, amount), amount);
  }

  private static Value zeroIfWide(Lanes lanes, ElementType type, Value shifted, Value amount) {
    Lane lane = shifted.lane();
    Value width = lanes.constant(lane, type.bits());
    Value isNarrow = lanes.compare(Relation.ULT, amount, width);
    return lanes.select(isNarrow, shifted, lanes.constant(lane, 0));
  }

  static Value shiftRightArithmetic(Lanes lanes, ElementType type, Value value, Value amount) {
    Value signed = signExtended(lanes, type, value);
    Value most = lanes.constant(value.lane(), type.bits() - 1);
    return lanes.shiftRight(signed, lanes.minUnsigned(amount, most));
  }

  /** Sign bits of the number or, if it is positive, the 1 that its negative's sign bit is. */
  static Value sign(Lanes lanes, Value value) {
    int last = laneBits(value) - 1;
    Value positive = lanes.shiftRightLogical(lanes.negate(value), last);
    return lanes.or(lanes.shiftRight(value, last), positive);
  }
}
