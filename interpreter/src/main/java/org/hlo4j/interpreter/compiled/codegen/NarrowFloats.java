package org.hlo4j.interpreter.compiled.codegen;

import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.F16;
import static org.hlo4j.hlo.ElementType.F8E8M0FNU;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.math.FloatFunctions;

/**
 * Float types narrower than f32: from and to their bits, and rounding to them. The same formulas in
 * both back ends; that of {@code f8e8m0fnu}, which is like no other, for single elements only.
 */
public final class NarrowFloats {
  private static final int F32_MANTISSA = 23;
  private static final int F64_MANTISSA = 52;
  private static final int F32_BIAS = 127;
  private static final int F32_INFINITY = 0x7f800000;
  private static final int F32_NAN = 0x7fc00000;

  private final CodeEmitter emitter;
  private final ElementType type;
  private final int mantissa;
  private final int signBit;
  private final int smallestExponent;

  private NarrowFloats(CodeEmitter emitter, ElementType type) {
    this.emitter = emitter;
    this.type = type;
    this.mantissa = type.mantissaBits();
    this.signBit = 1 << (type.bits() - 1);
    this.smallestExponent = Math.getExponent(type.decode(1L << mantissa));
  }

  /** Whether its exponents need more room than lane F32 has, and its bits more than formulas. */
  public static boolean isScalarOnly(ElementType type) {
    return type == F8E8M0FNU;
  }

  /** Whether elements of a type travel rounded in a lane that holds more. */
  public static boolean isNarrow(ElementType type) {
    return type.isFloating() && type.bits() < 32;
  }

  /** Whether the highest bit is the sign of whatever the others say. */
  public static boolean hasSign(ElementType type) {
    return type.encode(-0.0) == type.encode(0.0) + (1L << (type.bits() - 1));
  }

  // ---- from bits

  /** The values, in lane F32, of bits in lane I32 whose higher bits are zero. */
  public static Value decode(CodeEmitter emitter, ElementType type, Value bits) {
    if (type == BF16) {
      return emitter.reinterpret(emitter.shiftLeft(bits, 16));
    } else if (type == F8E8M0FNU) {
      return emitter.call(ScalarCalls.class, "decodePower", Lane.F32, bits);
    } else if (type == F16 && emitter.canCall()) {
      String method = emitter.keepsNaNs() ? "decodeHalf" : "numberOfHalf";
      return emitter.call(ScalarCalls.class, method, Lane.F32, bits);
    }
    return new NarrowFloats(emitter, type).decode(bits);
  }

  private Value decode(Value bits) {
    Value magnitude = emitter.and(bits, integer(signBit - 1));
    Value shifted = emitter.shiftLeft(magnitude, F32_MANTISSA - mantissa);
    Value sign = emitter.shiftLeft(emitter.and(bits, integer(signBit)), Integer.SIZE - type.bits());
    Value scaled = emitter.multiply(emitter.reinterpret(shifted), float32(decodeScale()));
    int ones = type.hasInfinity() ? F32_INFINITY : F32_NAN;
    Value special = emitter.reinterpret(emitter.or(shifted, integer(ones)));
    Value isSpecial = isSpecial(bits, magnitude);
    Value value = emitter.select(isSpecial, special, scaled);
    Value signed = emitter.reinterpret(emitter.or(emitter.reinterpret(value), sign));
    return isUnsignedZero() ? emitter.select(isSpecial, special, signed) : signed;
  }

  /** 2^(127 - bias): what moves exponents from their place in the type to that in f32. */
  private double decodeScale() {
    return Math.scalb(1.0, F32_BIAS - 1 + smallestExponent);
  }

  /** Whether the bits are of an infinity or a NaN. */
  private Value isSpecial(Value bits, Value magnitude) {
    if (type.hasInfinity()) {
      int infinity = (int) type.encode(Double.POSITIVE_INFINITY);
      return emitter.compare(Relation.GE, magnitude, integer(infinity));
    } else if (type.hasNaN()) {
      return emitter.compare(Relation.EQ, isUnsignedZero() ? bits : magnitude, integer(nan()));
    }
    return emitter.constant(Lane.MASK, 0);
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
  public static Value encode(CodeEmitter emitter, ElementType type, Value value) {
    if (type == BF16) {
      return emitter.shiftRightLogical(emitter.reinterpret(value), 16);
    } else if (type == F8E8M0FNU) {
      return emitter.call(ScalarCalls.class, "encodePower", Lane.I32, value);
    } else if (type == F16 && emitter.canCall()) {
      String method = emitter.keepsNaNs() ? "encodeHalf" : "halfOfNumber";
      return emitter.call(ScalarCalls.class, method, Lane.I32, value);
    }
    return new NarrowFloats(emitter, type).encode(value);
  }

  private Value encode(Value value) {
    Value scaled = emitter.multiply(emitter.abs(value), float32(1 / decodeScale()));
    Value isNaN = emitter.compare(Relation.NE, value, value);
    Value magnitude =
        emitter.select(isNaN, encodedNaN(value), encoded(emitter.reinterpret(scaled)));
    Value signs = emitter.shiftRightLogical(emitter.reinterpret(value), Integer.SIZE - type.bits());
    return emitter.or(magnitude, emitter.and(signs, integer(signBit)));
  }

  private Value encoded(Value bits) {
    Value shifted = emitter.shiftRightLogical(bits, F32_MANTISSA - mantissa);
    return emitter.and(shifted, integer(signBit - 1));
  }

  /** Types with infinities keep the payload. */
  private Value encodedNaN(Value value) {
    return type.hasInfinity() ? encoded(emitter.reinterpret(value)) : integer(nan());
  }

  // ---- rounding

  /** The nearest values of the type, halves to even, in the lane of the operand: F32 or F64. */
  public static Value round(CodeEmitter emitter, ElementType type, Value value) {
    if (type == F8E8M0FNU) {
      Value wide = emitter.convert(value, Lane.F64);
      Value rounded = emitter.call(ScalarCalls.class, "roundPower", Lane.F64, wide);
      return emitter.convert(rounded, value.lane());
    } else if (type == BF16 && value.lane() == Lane.F32) {
      return roundBrain(emitter, value);
    } else if (type == F16 && value.lane() == Lane.F32 && emitter.canCall()) {
      return emitter.call(ScalarCalls.class, "roundHalf", Lane.F32, value);
    }
    return new NarrowFloats(emitter, type).round(value);
  }

  /** Exponents are the same: half of the last bit kept is added, and what is below cut off. */
  private static Value roundBrain(CodeEmitter emitter, Value value) {
    Value bits = emitter.reinterpret(value);
    Value cut = cut(emitter, bits, F32_MANTISSA - BF16.mantissaBits());
    Value isNaN = emitter.compare(Relation.NE, value, value);
    return emitter.select(isNaN, emitter.constant(Lane.F32, Float.NaN), emitter.reinterpret(cut));
  }

  /** Bits rounded to a multiple of 2^dropped, halves to even; a carry moves into the exponent. */
  public static Value cut(CodeEmitter emitter, Value bits, int dropped) {
    Lane lane = bits.lane();
    Value last = emitter.and(emitter.shiftRightLogical(bits, dropped), emitter.constant(lane, 1));
    Value half = emitter.constant(lane, (1L << (dropped - 1)) - 1);
    return emitter.and(
        emitter.add(emitter.add(bits, half), last), emitter.constant(lane, -1L << dropped));
  }

  private Value round(Value value) {
    Lane lane = value.lane();
    Value magnitude = emitter.abs(value);
    int wide = lane == Lane.F32 ? F32_MANTISSA : F64_MANTISSA;
    Value cut = emitter.reinterpret(cut(emitter, emitter.reinterpret(magnitude), wide - mantissa));
    // Added to this, what is below the smallest normal number loses what it has to.
    Value tiny = emitter.constant(lane, Math.scalb(1.0, smallestExponent - mantissa + wide));
    Value small = emitter.subtract(emitter.add(magnitude, tiny), tiny);
    Value isSmall =
        emitter.compare(
            Relation.LT, magnitude, emitter.constant(lane, Math.scalb(1.0, smallestExponent)));
    Value near = emitter.select(isSmall, small, cut);
    Value isLarge = emitter.compare(Relation.GT, near, emitter.constant(lane, type.maxFinite()));
    Value bounded = emitter.select(isLarge, emitter.constant(lane, overflow()), near);
    Value signed = FloatFunctions.withSign(emitter, bounded, value);
    if (isUnsignedZero()) {
      Value isZero = emitter.compare(Relation.EQ, bounded, emitter.constant(lane, 0));
      signed = emitter.select(isZero, bounded, signed);
    }
    Value isNaN = emitter.compare(Relation.NE, value, value);
    Value becomesNaN = Double.isNaN(overflow()) ? emitter.or(isNaN, isLarge) : isNaN;
    return emitter.select(becomesNaN, emitter.constant(lane, type.decode(nan())), signed);
  }

  private double overflow() {
    return type.decode(type.encode(Double.POSITIVE_INFINITY));
  }

  private Value integer(int number) {
    return emitter.constant(Lane.I32, number);
  }

  private Value float32(double number) {
    return emitter.constant(Lane.F32, number);
  }
}
