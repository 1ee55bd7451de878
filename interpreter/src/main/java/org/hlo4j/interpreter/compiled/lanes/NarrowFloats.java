package org.hlo4j.interpreter.compiled.lanes;

import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.F16;
import static org.hlo4j.hlo.ElementType.F8E8M0FNU;

import org.hlo4j.hlo.ElementType;

/**
 * Float types narrower than f32: from and to their bits, and rounding to them. The same formulas in
 * both back ends; that of {@code f8e8m0fnu}, which is like no other, for single elements only.
 */
final class NarrowFloats {
  private static final int F32_MANTISSA = 23;
  private static final int F64_MANTISSA = 52;
  private static final int F32_BIAS = 127;
  private static final int F32_INFINITY = 0x7f800000;
  private static final int F32_NAN = 0x7fc00000;

  private final Lanes lanes;
  private final ElementType type;
  private final int mantissa;
  private final int signBit;
  private final int smallestExponent;

  private NarrowFloats(Lanes lanes, ElementType type) {
    this.lanes = lanes;
    this.type = type;
    this.mantissa = type.mantissaBits();
    this.signBit = 1 << (type.bits() - 1);
    this.smallestExponent = Math.getExponent(type.decode(1L << mantissa));
  }

  /** Whether its exponents need more room than lane F32 has, and its bits more than formulas. */
  static boolean isScalarOnly(ElementType type) {
    return type == F8E8M0FNU;
  }

  /** Whether elements of a type travel rounded in a lane that holds more. */
  static boolean isNarrow(ElementType type) {
    return type.isFloating() && type.bits() < 32;
  }

  /** Whether the highest bit is the sign of whatever the others say. */
  static boolean hasSign(ElementType type) {
    return type.encode(-0.0) == type.encode(0.0) + (1L << (type.bits() - 1));
  }

  // ---- from bits

  /** The values, in lane F32, of bits in lane I32 whose higher bits are zero. */
  static Value decode(Lanes lanes, ElementType type, Value bits) {
    if (type == BF16) {
      return lanes.reinterpret(lanes.shiftLeft(bits, 16));
    } else if (type == F8E8M0FNU) {
      return lanes.call(ScalarCalls.class, "decodePower", Lane.F32, bits);
    } else if (type == F16 && lanes.canCall()) {
      String method = lanes.keepsNaNs() ? "decodeHalf" : "numberOfHalf";
      return lanes.call(ScalarCalls.class, method, Lane.F32, bits);
    }
    return new NarrowFloats(lanes, type).decode(bits);
  }

  private Value decode(Value bits) {
    Value magnitude = lanes.and(bits, integer(signBit - 1));
    Value shifted = lanes.shiftLeft(magnitude, F32_MANTISSA - mantissa);
    Value sign = lanes.shiftLeft(lanes.and(bits, integer(signBit)), Integer.SIZE - type.bits());
    Value scaled = lanes.multiply(lanes.reinterpret(shifted), float32(decodeScale()));
    int ones = type.hasInfinity() ? F32_INFINITY : F32_NAN;
    Value special = lanes.reinterpret(lanes.or(shifted, integer(ones)));
    Value isSpecial = isSpecial(bits, magnitude);
    Value value = lanes.select(isSpecial, special, scaled);
    Value signed = lanes.reinterpret(lanes.or(lanes.reinterpret(value), sign));
    return isUnsignedZero() ? lanes.select(isSpecial, special, signed) : signed;
  }

  /** 2^(127 - bias): what moves exponents from their place in the type to that in f32. */
  private double decodeScale() {
    return Math.scalb(1.0, F32_BIAS - 1 + smallestExponent);
  }

  /** Whether the bits are of an infinity or a NaN. */
  private Value isSpecial(Value bits, Value magnitude) {
    if (type.hasInfinity()) {
      int infinity = (int) type.encode(Double.POSITIVE_INFINITY);
      return lanes.compare(Relation.GE, magnitude, integer(infinity));
    } else if (type.hasNaN()) {
      return lanes.compare(Relation.EQ, isUnsignedZero() ? bits : magnitude, integer(nan()));
    }
    return lanes.constant(Lane.MASK, 0);
  }

  private int nan() {
    return (int) type.encode(Double.NaN);
  }

  /** Whether there is no -0. */
  private boolean isUnsignedZero() {
    return !hasSign(type);
  }

  // ---- to bits

  /** The bits, in lane I32, of values in lane F32 that are of the type. */
  static Value encode(Lanes lanes, ElementType type, Value value) {
    if (type == BF16) {
      return lanes.shiftRightLogical(lanes.reinterpret(value), 16);
    } else if (type == F8E8M0FNU) {
      return lanes.call(ScalarCalls.class, "encodePower", Lane.I32, value);
    } else if (type == F16 && lanes.canCall()) {
      String method = lanes.keepsNaNs() ? "encodeHalf" : "halfOfNumber";
      return lanes.call(ScalarCalls.class, method, Lane.I32, value);
    }
    return new NarrowFloats(lanes, type).encode(value);
  }

  private Value encode(Value value) {
    Value scaled = lanes.multiply(lanes.abs(value), float32(1 / decodeScale()));
    Value isNaN = lanes.compare(Relation.NE, value, value);
    Value magnitude = lanes.select(isNaN, encodedNaN(value), encoded(lanes.reinterpret(scaled)));
    Value signs = lanes.shiftRightLogical(lanes.reinterpret(value), Integer.SIZE - type.bits());
    return lanes.or(magnitude, lanes.and(signs, integer(signBit)));
  }

  private Value encoded(Value bits) {
    Value shifted = lanes.shiftRightLogical(bits, F32_MANTISSA - mantissa);
    return lanes.and(shifted, integer(signBit - 1));
  }

  /** Types with infinities keep the payload. */
  private Value encodedNaN(Value value) {
    return type.hasInfinity() ? encoded(lanes.reinterpret(value)) : integer(nan());
  }

  // ---- rounding

  /** The nearest values of the type, halves to even, in the lane of the operand: F32 or F64. */
  static Value round(Lanes lanes, ElementType type, Value value) {
    if (type == F8E8M0FNU) {
      Value wide = lanes.convert(value, Lane.F64);
      Value rounded = lanes.call(ScalarCalls.class, "roundPower", Lane.F64, wide);
      return lanes.convert(rounded, value.lane());
    } else if (type == BF16 && value.lane() == Lane.F32) {
      return roundBrain(lanes, value);
    } else if (type == F16 && value.lane() == Lane.F32 && lanes.canCall()) {
      return lanes.call(ScalarCalls.class, "roundHalf", Lane.F32, value);
    }
    return new NarrowFloats(lanes, type).round(value);
  }

  /** Exponents are the same: half of the last bit kept is added, and what is below cut off. */
  private static Value roundBrain(Lanes lanes, Value value) {
    Value bits = lanes.reinterpret(value);
    Value cut = cut(lanes, bits, F32_MANTISSA - BF16.mantissaBits());
    Value isNaN = lanes.compare(Relation.NE, value, value);
    return lanes.select(isNaN, lanes.constant(Lane.F32, Float.NaN), lanes.reinterpret(cut));
  }

  /** Bits rounded to a multiple of 2^dropped, halves to even; a carry moves into the exponent. */
  static Value cut(Lanes lanes, Value bits, int dropped) {
    Lane lane = bits.lane();
    Value last = lanes.and(lanes.shiftRightLogical(bits, dropped), lanes.constant(lane, 1));
    Value half = lanes.constant(lane, (1L << (dropped - 1)) - 1);
    return lanes.and(lanes.add(lanes.add(bits, half), last), lanes.constant(lane, -1L << dropped));
  }

  private Value round(Value value) {
    Lane lane = value.lane();
    Value magnitude = lanes.abs(value);
    int wide = lane == Lane.F32 ? F32_MANTISSA : F64_MANTISSA;
    Value cut = lanes.reinterpret(cut(lanes, lanes.reinterpret(magnitude), wide - mantissa));
    // Added to this, what is below the smallest normal number loses what it has to.
    Value tiny = lanes.constant(lane, Math.scalb(1.0, smallestExponent - mantissa + wide));
    Value small = lanes.subtract(lanes.add(magnitude, tiny), tiny);
    Value isSmall =
        lanes.compare(
            Relation.LT, magnitude, lanes.constant(lane, Math.scalb(1.0, smallestExponent)));
    Value near = lanes.select(isSmall, small, cut);
    Value isLarge = lanes.compare(Relation.GT, near, lanes.constant(lane, type.maxFinite()));
    Value bounded = lanes.select(isLarge, lanes.constant(lane, overflow()), near);
    Value signed = FloatFunctions.withSign(lanes, bounded, value);
    if (isUnsignedZero()) {
      Value isZero = lanes.compare(Relation.EQ, bounded, lanes.constant(lane, 0));
      signed = lanes.select(isZero, bounded, signed);
    }
    Value isNaN = lanes.compare(Relation.NE, value, value);
    Value becomesNaN = Double.isNaN(overflow()) ? lanes.or(isNaN, isLarge) : isNaN;
    return lanes.select(becomesNaN, lanes.constant(lane, type.decode(nan())), signed);
  }

  private double overflow() {
    return type.decode(type.encode(Double.POSITIVE_INFINITY));
  }

  private Value integer(int number) {
    return lanes.constant(Lane.I32, number);
  }

  private Value float32(double number) {
    return lanes.constant(Lane.F32, number);
  }
}
